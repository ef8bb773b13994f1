"""lm-eval: its chat completions backend on generation requests. Arguments: prompts, address, number in flight."""

import json
import sys
from pathlib import Path

from lm_eval.api.instance import Instance
from lm_eval.models.openai_completions import LocalChatCompletion

prompts, url, width = sys.argv[1:4]
model = LocalChatCompletion(
    base_url=f"{url}/chat/completions",
    model="bench",
    num_concurrent=int(width),
    max_retries=1,
    tokenizer_backend=None,
)
requests = []
for number, line in enumerate(Path(prompts).read_text().splitlines()):
    chat = [{"role": "user", "content": json.loads(line)}]
    context = model.apply_chat_template(chat)
    arguments = (context, {"until": [], "max_gen_toks": 64, "temperature": 0})
    requests.append(Instance(request_type="generate_until", doc={}, arguments=arguments, idx=number))
answers = model.generate_until(requests, disable_tqdm=True)
sys.exit(0 if len(answers) == len(requests) else 1)
