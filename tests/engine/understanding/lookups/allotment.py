"""The rules of an allotment garden, in English and Chinese, and answers that quote them."""

from engine.ports.library import Document, Section


def _document(file: str, title: str, sections: dict[str, str]) -> Document:
    return Document(
        project="GARDEN",
        playbook="garden",
        file=file,
        title=title,
        sections=tuple(Section(heading=h, paragraphs=(text,)) for h, text in sections.items()),
    )


ALLOTMENT = (
    _document(
        "rules.md",
        "Rules of the allotment garden",
        {
            "Hedges and fences": (
                "A hedge is at most 1.25 metres high. Hedges are cut from October to February only."
            ),
            "Keeping animals": (
                "Members keep bees with the board's consent, and up to six hens. Other animals are"
                " not kept."
            ),
            "Waste": "Garden waste is composted on the plot. Burning it is forbidden.",
            "Water": (
                "Water costs 2.40 EUR a cubic metre. Watering is not allowed from 11:00 until"
                " 17:00, at noon least of all."
            ),
        },
    ),
    _document(
        "rules.zh.md",
        "社区菜园守则",
        {
            "绿篱和围栏": "绿篱最高 1.25 米，只在十月至二月修剪。",
            "饲养动物": "经理事会同意可以养蜜蜂，最多养六只母鸡。其他动物不得饲养。",
            "垃圾": "园内垃圾就地堆肥，禁止焚烧垃圾。",
            "用水": "水费每立方米 2.40 欧元。11:00 至 17:00 不得浇水。",
        },
    ),
)
