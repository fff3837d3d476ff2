// Shared by all tabs of the page: their streams, so that a browser's few connections are enough.
import { follower } from "/static/follower.js";

const streams = [];

function join(place, tell) {
  let stream = streams.find((one) => !one.isFull());
  if (!stream) streams.push(stream = follower());
  return stream.join(place, tell);
}

onconnect = ({ ports: [port] }) => {
  let leave = () => {};
  port.onmessage = ({ data }) => {
    leave();
    leave = () => {};
    if (data.place) {
      leave = join(data.place, (told) => port.postMessage(told));
      port.postMessage({});
    }
  };
};
