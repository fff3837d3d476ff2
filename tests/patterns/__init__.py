"""That no pattern costs more than in proportion to the text, shown for every pattern there is."""
