"""Emphasis where no spaces part the words: sixty sentences, the same on every platform."""

import re

from adapters.markdown_reader import make_parser
from adapters.slack.outbound import markdown as slack
from adapters.telegram.outbound.markdown import spans_of
from adapters.telegram.outbound.richtext import render_html
from adapters.webchat.markdown import to_html
from tests.fakes.tables import table

# What is emphasised stands between ⟨ and ⟩, what is only slanted between ‹ and ›.
CASES = """
**结论：**通过 | ⟨结论：⟩通过
**结论:**通过 | ⟨结论:⟩通过
**结论**：通过 | ⟨结论⟩：通过
结果是**通过。**请继续 | 结果是⟨通过。⟩请继续
结果是**“通过”**吗 | 结果是⟨“通过”⟩吗
结果是**「通过」**吗 | 结果是⟨「通过」⟩吗
见**《方案》**第三章 | 见⟨《方案》⟩第三章
受试者**（P003）**已入组 | 受试者⟨（P003）⟩已入组
受试者**(P003)**已入组 | 受试者⟨(P003)⟩已入组
**注意！**体重缺失 | ⟨注意！⟩体重缺失
**体重？**请补充 | ⟨体重？⟩请补充
请核对**体重、血压，**再提交 | 请核对⟨体重、血压，⟩再提交
**第一步；**第二步 | ⟨第一步；⟩第二步
**等待……**然后继续 | ⟨等待……⟩然后继续
**已完成——**无问题 | ⟨已完成——⟩无问题
**100%**完成 | ⟨100%⟩完成
完成**100%**了 | 完成⟨100%⟩了
共**¥100**元 | 共⟨¥100⟩元
**P003**的体重 | ⟨P003⟩的体重
体重为**61.5 kg**正常 | 体重为⟨61.5 kg⟩正常
*结论：*通过 | ‹结论：›通过
结果是*“通过”*吗 | 结果是‹“通过”›吗
见*《方案》*第三章 | 见‹《方案》›第三章
**結論：**合格 | ⟨結論：⟩合格
**「重要」**です | ⟨「重要」⟩です
これは**「重要」**です | これは⟨「重要」⟩です
**注意。**確認してください | ⟨注意。⟩確認してください
**이 용어(용어)**를 확인 | ⟨이 용어(용어)⟩를 확인
**결론:**통과 | ⟨결론:⟩통과
**“인용”**입니다 | ⟨“인용”⟩입니다
**结论：** 通过 | ⟨结论：⟩ 通过
**结论：**（通过） | ⟨结论：⟩（通过）
（**结论：**通过） | （⟨结论：⟩通过）
“**结论：**通过” | “⟨结论：⟩通过”
**甲：**一，**乙：**二 | ⟨甲：⟩一，⟨乙：⟩二
**甲。** **乙。** | ⟨甲。⟩ ⟨乙。⟩
1. **结论：**通过 | ⟨结论：⟩通过
- **体重：**61.5 | ⟨体重：⟩61.5
> **结论：**通过 | ⟨结论：⟩通过
**Done:** passed | ⟨Done:⟩ passed
**Done**: passed | ⟨Done⟩: passed
a **bold** word | a ⟨bold⟩ word
in**side**word | in⟨side⟩word
**bold.** Next | ⟨bold.⟩ Next
"**quoted**" | "⟨quoted⟩"
(**aside**) | (⟨aside⟩)
2 ** 3 和 4 ** 5 | 2 ** 3 和 4 ** 5
** 不是强调 ** | ** 不是强调 **
**没有结束 | **没有结束
没有开始** | 没有开始**
3 * 4 * 5 | 3 * 4 * 5
snake_case_name | snake_case_name
变量_名_称 | 变量_名_称
\\*\\*不是强调\\*\\* | **不是强调**
`**代码**`不变 | **代码**不变
**结论（详见**附录**）：**通过 | ⟨结论（详见⟩附录⟨）：⟩通过
**结论：通过** | ⟨结论：通过⟩
结论：**通过** | 结论：⟨通过⟩
**a：**b | ⟨a：⟩b
**结论：**pass | ⟨结论：⟩pass
""".strip().splitlines()


def marked(html: str) -> str:
    """The text with what is emphasised between brackets."""
    for tag, brackets in (("strong", "⟨⟩"), ("em", "‹›")):
        html = html.replace(f"<{tag}>", brackets[0]).replace(f"</{tag}>", brackets[1])
    return re.sub(r"<[^>]*>", "", html).replace("&quot;", '"').strip()


@table("case", CASES)
def test_emphasis_begins_and_ends_beside_wide_characters(case: str) -> None:
    given, expected = case.split(" | ")
    assert marked(make_parser().render(given)) == expected


@table("case", [case for case in CASES if "⟨" in case])
def test_no_platform_shows_its_marks(case: str) -> None:
    given, expected = case.split(" | ")
    bold = re.findall("⟨(.*?)⟩", expected)
    html = render_html(spans_of(given))
    assert "**" not in html
    assert "".join(re.findall("<b>(.*?)</b>", html)).replace("&quot;", '"') == "".join(bold)
    assert "**" not in slack.render(given)
    assert "**" not in to_html(given)


def test_there_are_sixty() -> None:
    assert len(CASES) == len(set(CASES)) == 60
