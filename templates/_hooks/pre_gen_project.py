"""The rules for the answers: refuse a name before anything is written, and say which rule it breaks.

cookiecutter renders this file and runs the result as a script; `hermes-sdk new` loads it as it is and calls `find_problem`.
So the rules stand in one place and need nothing but the standard library.
"""

import json
import keyword
import re
import sys

LONGEST_SLUG = 32  # Telegram accepts no longer command.
LONGEST_SUFFIX = len("-clock")  # What the plugins of a workspace have behind its name.
LONGEST_NAME = 40
GOOD_SLUG = "for example 'team-notes'"

# Names that are taken, in any release of Hermes Agent that hermes-sdk knows. A test holds them against the contract.
RESERVED = {
    "a slash command of Hermes": """
        agents approve background bg billing blueprint bp branch browser btw bundles busy clear codex-runtime
        commands compact compose compress config copy credits cron curator debug deny exit fast footer fork
        gateway generate-pet goal gquota handoff hatch help history image indicator insights journey kanban
        learn learning memory memory-graph moa model new paste personality pet platform platforms plugins
        profile prompt provider q queue quit reasoning redraw reload reload-mcp reload-skills reset restart
        resume retry rollback save sb sessions set-home sethome skills skin snap snapshot start status statusbar
        steer stop subgoal subscription suggest suggestions tasks timestamps title tools toolsets topic topup ts
        undo update upgrade usage v verbose version voice whoami yolo
    """,
    "a command of `hermes`": """
        acp auth backup chat checkpoints claw completion computer-use console dashboard desktop doctor dump
        fallback gui hooks import login logout logs lsp mcp migrate pairing pets portal postinstall project
        prompt-size proxy secrets security send serve setup slack uninstall webhook whatsapp whatsapp-cloud
    """,
    "a tool of Hermes": """
        browser-back browser-cdp browser-click browser-console browser-dialog browser-get-images
        browser-navigate browser-press browser-scroll browser-snapshot browser-type browser-vision clarify
        close-terminal cronjob delegate-task discord discord-admin execute-code feishu-doc-read
        feishu-drive-add-comment feishu-drive-list-comment-replies feishu-drive-list-comments
        feishu-drive-reply-comment ha-call-service ha-get-state ha-list-entities ha-list-services image-generate
        kanban-attach kanban-attach-url kanban-attachments kanban-block kanban-comment kanban-complete
        kanban-create kanban-heartbeat kanban-link kanban-list kanban-show kanban-unblock mixture-of-agents
        patch process project-create project-list project-switch read-file read-terminal rl-check-status
        rl-edit-config rl-get-current-config rl-get-results rl-list-environments rl-list-runs
        rl-select-environment rl-start-training rl-stop-training rl-test-inference search-files send-message
        session-search skill-manage skill-view skills-list spotify-albums spotify-devices spotify-library
        spotify-playback spotify-playlists spotify-queue spotify-search terminal text-to-speech todo
        video-analyze video-generate vision-analyze web-extract web-search write-file x-search xai-video-edit
        xai-video-extend yb-query-group-info yb-query-group-members yb-search-sticker yb-send-dm yb-send-sticker
    """,
    "a toolset of Hermes": """
        code-execution delegation feishu-doc feishu-drive file hermes-yuanbao homeassistant image-gen messaging
        rl spotify tts video video-gen vision web
    """,
    "a plugin that Hermes brings": """
        alibaba-coding-plan-provider alibaba-provider anthropic-provider arcee-provider azure-foundry-provider
        basic bedrock-provider browser-browser-use browser-browserbase browser-firecrawl byterover chronos
        copilot-acp-provider copilot-provider custom-provider deepinfra deepinfra-provider deepseek-provider
        dingtalk-platform discord-platform disk-cleanup drain email-platform fal feishu-platform
        fireworks-provider gemini-provider gmi-provider google-chat-platform google-meet hindsight holographic
        homeassistant-platform honcho huggingface-provider irc-platform kilocode-provider kimi-coding-provider
        krea langfuse line-platform matrix-platform mattermost-platform mem0 minimax-provider nemo-relay nous
        nous-provider novita-provider ntfy-platform nvidia-provider ollama-cloud-provider openai openai-codex
        openai-codex-provider opencode-zen-provider openrouter openrouter-provider openviking photon-platform
        qwen-oauth-provider raft-platform retaindb security-guidance self-hosted simplex-platform slack-platform
        sms-platform stepfun-provider supermemory teams-pipeline teams-platform telegram-platform
        upstage-provider vertex-provider web-brave-free web-ddgs web-exa web-firecrawl web-parallel web-searxng
        web-tavily web-xai wecom-platform whatsapp-platform xai xai-provider xiaomi-provider zai-provider
    """,
    "a platform of Hermes": """
        api-server bluebubbles dingtalk feishu google-chat irc line local matrix mattermost
        msgraph-webhook ntfy photon qqbot raft relay simplex sms teams telegram wecom wecom-callback
        weixin yuanbao
    """,
    "a provider that Hermes brings": """
        alibaba alibaba-coding-plan anthropic arcee azure-foundry bedrock brave-free browser-use
        browserbase copilot copilot-acp custom ddgs deepseek exa firecrawl fireworks gemini gmi
        huggingface kilocode kimi-coding minimax novita nvidia ollama-cloud opencode-zen parallel
        qwen-oauth searxng stepfun tavily upstage vertex xiaomi zai
    """,
    "a module of Hermes": """
        acp-adapter agent batch-runner cli hermes-bootstrap hermes-cli hermes-constants hermes-logging
        hermes-state hermes-time mcp-serve model-tools providers rl-cli run-agent toolset-distributions
        trajectory-compressor tui-gateway utils
    """,
    "a package that Hermes needs": """
        annotated-doc annotated-types anyio certifi cffi charset-normalizer click croniter cryptography dateutil
        distro dotenv fastapi fire h11 httpcore httptools httpx idna jinja2 jiter jwt markdown markdown-it
        markupsafe mdurl multipart opentelemetry packaging pathspec pil pillow prompt-toolkit psutil ptyprocess
        pycparser pydantic pydantic-core pygments python-multipart pytz requests rich ruamel sniffio socksio
        starlette tenacity termcolor tqdm typing-extensions typing-inspection tzdata urllib3 uvicorn uvloop
        watchfiles wcwidth websockets yaml
    """,
    "a name that the project or its tools use": """
        hermes-plugins hermes-sdk hermes-sdk-pytest license mypy pytest readme ruff test tests
    """,
    "a word that YAML does not read as text": """
        false n no null off on true y yes
    """,
}

# A core tool would take the place of such a file.
FILES_OF_TOOLS = """
    ansi-strip approval async-delegation binary-extensions blueprints browser-camofox browser-camofox-state
    browser-cdp-tool browser-dialog-tool browser-providers browser-supervisor browser-tool budget-config
    checkpoint-manager clarify-gateway clarify-tool close-terminal-tool code-execution-tool
    computer-use-tool credential-files cronjob-tools daemon-pool debug-helpers delegate-tool
    delegation-live-log discord-tool env-passthrough env-probe environments fal-common feishu-doc-tool
    feishu-drive-tool file-operations file-state file-tools fuzzy-match homeassistant-tool hook-output-spill
    image-generation-tool image-source interrupt kanban-tools lazy-deps managed-tool-gateway
    mcp-dashboard-oauth mcp-oauth mcp-oauth-manager mcp-stdio-watchdog mcp-tool memory-tool
    microsoft-graph-auth microsoft-graph-client mixture-of-agents-tool neutts-synth openrouter-client
    osv-check patch-parser path-security process-registry project-tools read-extract read-terminal-tool
    registry rl-training-tool schema-sanitizer send-message-tool session-search-tool skill-manager-tool
    skill-provenance skill-usage skills-ast-audit skills-guard skills-hub skills-sync skills-tool
    slash-confirm terminal-tool thread-context threat-patterns tirith-security todo-tool
    tool-backend-helpers tool-output-limits tool-result-storage tool-search transcription-tools tts-tool
    url-safety video-generation-tool vision-tools voice-mode web-tools website-policy write-approval
    x-search-tool xai-http xai-video-tools yuanbao-tools
"""


def problems(answers):
    """Return one sentence for each rule that the answers, a mapping of variable to value, break."""
    found = [find_problem(variable, str(value), answers["__kind"]) for variable, value in answers.items()]
    return [problem for problem in found if problem]


def find_problem(variable, value, kind):
    """Return the rule that the value of a variable breaks, as a sentence; None when it breaks none."""
    match variable:
        case "plugin_name":
            return name_problem(value)
        case "plugin_slug":
            return slug_problem(value, kind)
        case "description":
            return line_problem(variable, value, "Saves short notes")
        case "author":
            return line_problem(variable, value, "Ada Lovelace")
        case "email":
            return email_problem(value)
        case "github_owner":
            return owner_problem(value)
    return None


def slug_problem(slug, kind="plugin"):
    longest = LONGEST_SLUG - (LONGEST_SUFFIX if kind == "workspace" else 0)
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
        return (
            f"plugin_slug {slug!r} must be lower-case ASCII letters and digits with single hyphens between, "
            f"and start with a letter; {GOOD_SLUG}."
        )
    if len(slug) > longest:
        return f"plugin_slug {slug!r} has {len(slug)} characters, {longest} are the most; {GOOD_SLUG}."
    module = slug.replace("-", "_")
    if keyword.iskeyword(module):
        return f"plugin_slug {slug!r} is a keyword of Python, which cannot be a module; {GOOD_SLUG}."
    if module in sys.stdlib_module_names:
        return f"plugin_slug {slug!r} is a module of Python's standard library; choose another, {GOOD_SLUG}."
    taken = RESERVED | ({"a file of the package tools of Hermes": FILES_OF_TOOLS} if kind == "core-tool" else {})
    for what, names in taken.items():
        if slug in names.split():
            return f"plugin_slug {slug!r} is {what}; choose another, {GOOD_SLUG}."
    return None


def name_problem(name):
    if len(name) > LONGEST_NAME:
        return f"plugin_name has {len(name)} characters, {LONGEST_NAME} are the most; for example 'Team Notes'."
    if re.fullmatch(r"[^\W_]([\w .&'+-]*[\w.+])?", name):
        return None
    return (
        f"plugin_name {name!r} must be letters, digits, spaces and - _ . & ' + only, "
        "and start with a letter or digit; for example 'Team Notes'."
    )


def line_problem(variable, text, example):
    # What passes can stand between double quotes in YAML and TOML as it is.
    if text and text.isprintable() and text == text.strip() and not set(text) & set('"\\'):
        return None
    return (
        f"{variable} {text!r} must be one line of text without double quotes, backslashes and outer spaces; "
        f"for example '{example}'."
    )


def email_problem(email):
    if not email or re.fullmatch(r"[A-Za-z0-9.!#$%&'*+/=?^_`|~-]+@[A-Za-z0-9.-]+", email):
        return None
    return f"email {email!r} must be an email address, or empty; for example 'ada@example.com'."


def owner_problem(owner):
    if re.fullmatch(r"[A-Za-z0-9](-?[A-Za-z0-9]){0,38}", owner):
        return None
    return (
        f"github_owner {owner!r} must be a user or organisation of GitHub: letters and digits "
        "with single hyphens between; for example 'ada-lovelace'."
    )


if __name__ == "__main__":
    # Twice to JSON: the inner text is the data, the outer one a Python string that no answer can break out of.
    sys.exit("\n".join(problems(json.loads({{cookiecutter | jsonify | jsonify}}))) or 0)
