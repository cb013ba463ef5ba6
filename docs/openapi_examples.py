"""`make examples`: writes the examples of the API's description, each really sent to a server."""

import json
from pathlib import Path
from typing import Any

import tapedeck.web
from bench import server

TARGET = Path(tapedeck.web.__file__).with_name("openapi_examples.json")
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "expressions": (
        "Expressions, differentiated with respect to every number assigned",
        {"source": "x = 3.0\ny = x**2 + 2*x"},
    ),
    "script": (
        "A script with a tape of its own",
        {
            "source": "import tensorflow as tf\n\nw = tf.Variable(2.0)\n"
            "with tf.GradientTape() as tape:\n    loss = w * w\nprint(tape.gradient(loss, w).numpy())",
            "mode": "script",
            "seed": 1,
        },
    ),
    "raises": (
        "A tape used twice: the snippet raises, and the trace says where and why",
        {
            "source": "import tensorflow as tf\n\nx = tf.constant(3.0)\n"
            "with tf.GradientTape() as tape:\n    tape.watch(x)\n    y = x * x\n"
            "tape.gradient(y, x)\ntape.gradient(y, x)"
        },
    ),
    "does_not_parse": ("A source that is not Python", {"source": "x = (3.0"}),
    "wrong_type": ("A field of a wrong type", {"source": "x = 3.0", "seed": "one"}),
}


def main() -> None:
    """Sends every request and writes what came back."""
    examples = {}
    with server.running() as client:
        for name, (summary, request) in REQUESTS.items():
            answer = client.post("/api/traces", json=request)
            examples[name] = {
                "summary": summary,
                "request": request,
                "status": answer.status_code,
                "response": answer.json(),
            }
    text = json.dumps(examples, indent=1, ensure_ascii=False)
    TARGET.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
