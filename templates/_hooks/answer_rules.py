"""The rules for the answers: each problem names the answer to change.

Plain cookiecutter applies them with `template_extension.py`; `hermes-sdk new` loads this file. It needs only the
standard library.
"""

import keyword
import re
import sys

LONGEST_SLUG = 32  # Telegram's limit for names of commands.
LONGEST_SUFFIX = len("-clock")  # Plugins of a workspace append this suffix to its name.
LONGEST_NAME = 40

# Names in use in any release of Hermes Agent that hermes-sdk knows. A test compares them with the contract.
RESERVED = {
    "a slash command of Hermes": """
        agents approvals approve background battery bg billing blueprint bp branch browser btw bundles busy clear
        codex-runtime commands compact compose compress config context copy credits cron ctx curator debug deny diff
        egress exit export fast focus footer fork gateway generate-pet goal gquota handoff hatch hb heartbeat help
        history image indicator init insights journey kanban learn learning loop memory memory-graph moa model new
        palette paste pause personality pet plan platform platforms plugins proactive profile prompt provider q queue
        quit reasoning redraw refine reload reload-mcp reload-skills reset restart resume retry review rollback s save
        sb sessions set-home sethome skills skin snap snapshot start status statusbar steer stop subgoal subscription
        suggest suggestions tasks timestamps title tools toolsets topic topup ts undo update upgrade usage v verbose
        version voice wake whoami worktree yolo
    """,
    "a command of `hermes`": """
        acp auth backup chat checkpoints claw completion computer-use connectors console dashboard desktop doctor dump
        fallback gui hooks import import-agent login logout logs lsp mcp migrate monitoring pairing peer pets portal
        postinstall project prompt-size proxy secrets security send serve setup slack sync uninstall vault verify
        webhook whatsapp whatsapp-cloud
    """,
    "a tool of Hermes": """
        a2a-call a2a-discover a2a-history a2a-list a2a-orchestrate annotate-preview bfl-flux3-get-result
        bfl-flux3-image-to-video bfl-flux3-keyframes-to-video bfl-flux3-prompting-guide bfl-flux3-text-to-video
        bfl-flux3-video-continuation browser-back browser-cdp browser-click browser-console browser-dialog
        browser-exec browser-get-images browser-navigate browser-press browser-scroll browser-snapshot browser-type
        browser-vault browser-vision clarify close-terminal cronjob cronjob-manage delegate-task desktop-preview
        desktop-project discord discord-admin drive-preview execute-code feishu-doc-read feishu-drive-add-comment
        feishu-drive-list-comment-replies feishu-drive-list-comments feishu-drive-reply-comment focus-pane gui-tour
        ha-call-service ha-get-state ha-list-entities ha-list-services image-generate kanban-attach kanban-attach-url
        kanban-attachments kanban-block kanban-comment kanban-complete kanban-create kanban-heartbeat kanban-link
        kanban-list kanban-request-changes kanban-request-review kanban-schedule kanban-show kanban-unblock
        manage-catalog manage-connections mixture-of-agents open-preview patch process process-manage project-create
        project-list project-switch react-to-message read-file read-preview read-terminal read-window-below
        rl-check-status rl-edit-config rl-get-current-config rl-get-results rl-list-environments rl-list-runs
        rl-select-environment rl-start-training rl-stop-training rl-test-inference search-files send-message
        session-search set-theme setup-beat setup-mcp show-tip skill-manage skill-view skills-list spotify-albums
        spotify-devices spotify-library spotify-playback spotify-playlists spotify-queue spotify-search terminal
        text-to-speech todo todo-list video-analyze video-generate vision-analyze web-extract web-search write-file
        x-search xai-video-edit xai-video-extend yb-query-group-info yb-query-group-members yb-search-sticker
        yb-send-dm yb-send-sticker
    """,
    "a toolset of Hermes": """
        a2a bfl catalog code-execution connections delegation desktop-ui feishu-doc feishu-drive file hermes-yuanbao
        homeassistant image-gen messaging onboarding rl spotify tts video video-gen vision web
    """,
    "a plugin that Hermes brings": """
        actual ai-gateway alibaba-coding-plan-provider alibaba-provider anthropic-provider arcee-provider
        azure-foundry-provider basic bedrock-provider browser-browser-use browser-browserbase browser-firecrawl buzz
        byterover chronos commandcode copilot-acp-provider copilot-provider cua custom-provider deepinfra
        deepinfra-provider deepseek-provider dingtalk-platform discord-platform disk-cleanup drain email-platform fal
        feishu-platform fireworks-provider gemini-provider gmi-provider google-chat-platform google-meet hindsight
        holographic homeassistant-platform honcho huggingface-provider irc-platform keenable kilocode-provider
        kimi-coding-provider krea langfuse line-platform lmstudio matrix-platform mattermost-platform mem0 meta-ai
        minimax-provider nebius-token-factory nemo-relay nous nous-provider novita-provider ntfy-platform
        nvidia-provider ollama-cloud-provider openai openai-codex openai-codex-provider openai-native
        opencode-zen-provider openrouter openrouter-provider openviking perplexity photon-platform qwen-oauth-provider
        raft-platform retaindb router security-guidance self-hosted simplex-platform slack-platform sms-platform
        solstice stepfun-provider supermemory teams-pipeline teams-platform telegram-platform tencent-tokenhub
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
        acp-adapter agent batch-runner cli hermes-bootstrap hermes-cli hermes-constants hermes-constants-scratch
        hermes-logging hermes-platform hermes-startup-watchdog hermes-state hermes-state-common
        hermes-state-compression hermes-state-coverage hermes-state-dbfile hermes-state-errors hermes-state-fts
        hermes-state-gateway hermes-state-guard hermes-state-health hermes-state-holders hermes-state-identity
        hermes-state-ids hermes-state-lockguard hermes-state-lockowners hermes-state-maintenance hermes-state-messages
        hermes-state-pidns hermes-state-portability hermes-state-profile-repair hermes-state-readpool
        hermes-state-registry hermes-state-repair hermes-state-rewind hermes-state-schema hermes-state-search
        hermes-state-sessions hermes-state-telegram hermes-state-timeline hermes-state-titles hermes-state-usage
        hermes-state-user-copy hermes-state-wal hermes-time hermes-yaml mcp-serve mini-swe-runner model-tools pm
        providers registration-lifecycle rl-cli run-agent toolset-distributions trajectory-compressor tui-gateway
        utils
    """,
    "a package that Hermes needs": """
        annotated-doc annotated-types anydoc anyio browser-harness cdp-use certifi cffi charset-normalizer click
        croniter cryptography dateutil distro dotenv fastapi fetch-use fire h11 httpcore httptools httpx idna jinja2
        jiter jwt markdown markdown-it markupsafe mcp-server mdurl multipart opentelemetry packaging pathspec pil
        pillow prompt-toolkit psutil ptyprocess pycparser pydantic pydantic-core pygments python-multipart pytz
        requests resvg-py rich ruamel sniffio snowballstemmer socksio starlette tenacity termcolor tomli-w tqdm
        truststore typing-extensions typing-inspection tzdata urllib3 uvicorn uvloop watchfiles wcwidth websockets
        yaml
    """,
    "a name that the project or its tools use": """
        hermes-plugins hermes-sdk hermes-sdk-pytest license mypy pytest readme ruff test tests
    """,
    "a word that YAML does not read as text": """
        false n no null off on true y yes
    """,
}

# Modules of Hermes that a core tool with the same name would replace.
FILES_OF_TOOLS = """
    annotate-preview-tool ansi-strip approval approval-context approval-detection approval-floors
    approval-gateway-wait approval-human-wait approval-prompt approval-smart approval-yolo arg-coercion
    async-delegation async-delegation-recovery-hints audio-container binary-extensions blueprints bot-desktop
    bot-failure-reasons bot-live-delivery bot-mode-dm bot-mode-probe bot-relay browser-camofox browser-camofox-state
    browser-cdp-tool browser-dialog-tool browser-extension-router browser-lightpanda browser-providers
    browser-supervisor browser-supervisor-capture browser-supervisor-dialogs browser-supervisor-frames browser-tool
    browser-tool-cdp browser-tool-cloud browser-tool-eval-policy browser-tool-install browser-tool-lifecycle
    browser-tool-lightpanda-fallback browser-tool-origin browser-tool-real-profile browser-tool-session
    browser-tool-snapshot browser-tool-vision browser-use-cli browser-vault-tool budget-config checkpoint-maintenance
    checkpoint-manager checkpoint-pruning clarify-gateway clarify-tool close-preview-tool close-terminal-tool
    code-execution-env code-execution-rpc code-execution-tool code-kernel code-kernel-remote computer-use-tool
    credential-files cronjob-job-args cronjob-prompt-scan cronjob-tools daemon-pool debug-helpers delegate-tool
    delegate-tool-child-run delegate-tool-config delegate-tool-dispatch delegate-tool-progress delegate-tool-registry
    delegate-tool-results delegate-tool-tasks delegate-tool-toolsets delegation-live-log delegation-output-schema
    discord-tool drive-preview-tool env-passthrough env-probe environments escape-drift-autocorrect fal-common
    feishu-doc-tool feishu-drive-tool feishu-lark file-operations file-operations-common file-operations-lint
    file-operations-search file-state file-tools file-tools-paths file-tools-read-tracking file-tools-write-guards
    flux3-video-tool focus-pane-tool fuzzy-match homeassistant-tool hook-output-spill human-input-hooks
    image-generation-catalog image-generation-managed image-generation-tool image-source interpreter-shutdown
    interrupt kanban-tools kanban-tools-schemas kanban-toolset-context lazy-deps managed-gateway-auth
    managed-gateway-identity managed-tool-gateway mcp-dashboard-oauth mcp-death-supervisor mcp-liveness mcp-oauth
    mcp-oauth-device mcp-oauth-manager mcp-oauth-provider mcp-schema-cache mcp-stdio-watchdog mcp-tool mcp-tool-agent
    mcp-tool-common mcp-tool-config mcp-tool-content mcp-tool-discovery mcp-tool-errors mcp-tool-handlers
    mcp-tool-health mcp-tool-lifecycle mcp-tool-loop mcp-tool-node-abi mcp-tool-registration mcp-tool-sampling
    mcp-tool-schema mcp-tool-scope mcp-tool-server-run mcp-tool-transport memory-tool memory-tool-store
    microsoft-graph-auth microsoft-graph-client mixture-of-agents-tool neutts-synth open-preview-tool
    openrouter-client osv-check patch-parser path-security plugin-guard plugin-guard-context preview-tool
    process-registry process-registry-checkpoint process-registry-env-log process-registry-notifications
    process-registry-results process-registry-termination project-tools pty-query-responder react-to-message-tool
    read-extract read-preview-tool read-terminal-tool read-window-tool registry rl-training-tool schema-sanitizer
    self-repo-guard send-message-senders send-message-targets send-message-tool session-search-tool set-theme-tool
    setup-beat-tool setup-mcp-tool shell-heredoc skill-ledger skill-linter skill-manager-batch skill-manager-guards
    skill-manager-tool skill-provenance skill-usage skillevaluator-scan skills-ast-audit skills-guard skills-hub
    skills-hub-clawhub skills-hub-github skills-hub-install skills-hub-models skills-hub-official skills-hub-search
    skills-hub-skillssh skills-hub-sources skills-sync skills-sync-bundled-ops skills-sync-client skills-sync-optional
    skills-tool skills-tool-dedup skills-tool-plugin skills-tool-setup slash-confirm spill-safety stt-lease
    subagent-worktree terminal-hints terminal-scope terminal-tool terminal-tool-backends terminal-tool-background
    terminal-tool-config terminal-tool-guards terminal-tool-lifecycle terminal-tool-macos-open terminal-tool-result
    terminal-tool-sudo thread-context threat-patterns tip-tool tirith-security todo-tool tool-backend-helpers
    tool-labels tool-output-limits tool-output-truncate tool-result-storage tool-search tool-search-catalog
    tool-search-validation tour-presets tour-tool transcription-audio transcription-chunking transcription-cloud
    transcription-command transcription-common transcription-local transcription-streaming transcription-tools
    transcription-whisper-cpp tts-command-provider tts-streaming tts-text-normalize tts-tool tts-tool-delivery
    tts-tool-lifecycle tts-tool-local tts-tool-openai tts-tool-plugins tts-tool-providers tts-tool-speaker url-safety
    video-generation-tool vision-tools vision-tools-history-budget vision-tools-image-prep voice-client-config
    voice-live voice-mode voice-mode-transcript wake-word wake-word-engines web-result-cache web-tools
    web-tools-extract web-tools-rescue web-tools-truncate website-policy working-diff write-approval x-search-tool
    xai-http xai-video-tools yuanbao-tools
"""


def list_problems(answers):
    """Return one sentence for each rule that the answers, a mapping of variable to value, break."""
    problems = [find_problem(variable, str(value), answers["__kind"]) for variable, value in answers.items()]
    return [problem for problem in problems if problem]


def find_problem(variable, value, kind):
    """Return the rule that the value of a variable breaks, as a sentence; None if it is valid."""
    match variable:
        case "plugin_name":
            return find_name_problem(value)
        case "plugin_slug":
            return find_slug_problem(value, kind)
        case "description":
            return find_line_problem(variable, value, "Saves short notes")
        case "author":
            return find_line_problem(variable, value, "Ada Lovelace")
        case "email":
            return find_email_problem(value)
        case "github_owner":
            return find_owner_problem(value)
    return None


def find_slug_problem(slug, kind="plugin"):
    longest = LONGEST_SLUG - (LONGEST_SUFFIX if kind == "workspace" else 0)
    subject = f"plugin_slug {slug!r}, the name in Hermes,"
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
        return (
            f"{subject} must be lower-case ASCII letters and digits with single hyphens between, "
            "and start with a letter; for example 'team-notes'."
        )
    if len(slug) > longest:
        return f"{subject} has {len(slug)} characters, {longest} are the most; for example 'team-notes'."
    module = slug.replace("-", "_")
    another = f"choose another, for example '{f'my-{slug}'[:longest].rstrip('-')}'."
    if keyword.iskeyword(module):
        return f"{subject} is a keyword of Python, which cannot be a module; {another}"
    if module in sys.stdlib_module_names:
        return f"{subject} is a module of Python's standard library; {another}"
    taken = RESERVED | ({"a file of the package tools of Hermes": FILES_OF_TOOLS} if kind == "core-tool" else {})
    for what, names in taken.items():
        if slug in names.split():
            return f"{subject} is {what}; {another}"
    return None


def find_name_problem(name):
    if len(name) > LONGEST_NAME:
        return (
            f"plugin_name {name!r}, the display name, has {len(name)} characters, {LONGEST_NAME} are the most; "
            "for example 'Team Notes'."
        )
    # Python files contain the name between double quotes and in docstrings.
    if is_line(name) and not set(name) & set('"\\'):
        return None
    return (
        f"plugin_name {name!r}, the display name, must be one line of text without double quotes, backslashes "
        "and outer spaces; for example 'Team Notes'."
    )


def find_line_problem(variable, text, example):
    if is_line(text):
        return None
    return f"{variable} {text!r} must be one line of text without outer spaces; for example '{example}'."


def is_line(text):
    return bool(text) and text.isprintable() and text == text.strip()


def find_email_problem(email):
    if not email or re.fullmatch(r"[A-Za-z0-9.!#$%&'*+/=?^_`|~-]+@[A-Za-z0-9.-]+", email):
        return None
    return f"email {email!r} must be an email address, or empty; for example 'ada@example.com'."


def find_owner_problem(owner):
    if re.fullmatch(r"[A-Za-z0-9](-?[A-Za-z0-9]){0,38}", owner):
        return None
    return (
        f"github_owner {owner!r} must be a user or organization of GitHub: letters and digits "
        "with single hyphens between; for example 'ada-lovelace'."
    )
