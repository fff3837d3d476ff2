"""Kinds of entities for tests: that of the sample study, and those of a warehouse."""

from engine.text.entity_kinds import Entities, PatternKind, list_of
from engine.text.language import LocalizedText

SUBJECTS = Entities(
    (PatternKind("subject", "P[0-9]{3}", "upper", label=LocalizedText(zh="受试者", en="Subject")),)
)
ORDER = PatternKind(
    "order", "W-?[0-9]{4}", "upper", "-", label=LocalizedText(zh="工单", en="Work order")
)
CUSTOMER = list_of(
    "customer",
    [
        ("C1", ["Müller & Söhne", "Mueller"]),
        ("C2", ["Acme", "Acme Robotics Ltd."]),
        ("C3", ["华东电力", "华东电力设备"]),
        ("C4", ["Will and Sons", "威尔父子"]),
    ],
    LocalizedText(zh="客户", en="Customer"),
)
WAREHOUSE = Entities((ORDER, CUSTOMER))
