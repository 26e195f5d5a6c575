import type { RawSettings } from './raw-settings.ts'

/**
 * Settings of the family that this program cannot obey and must not ignore: with each of them an administrator restricts
 * people, protects a connection or chooses how the server is reached. The start stops with the reason. Other settings
 * without an effect are only reported, since they concern the look of pages or the inside of another program.
 */
const unsupported: readonly {
  readonly section: string
  readonly key: string
  /** Whether a given text asks for something; by default every text but an empty one. */
  readonly asks?: (text: string) => boolean
  readonly reason: string
}[] = [
  ...['ENABLE_ACME', 'ENABLE_LETSENCRYPT'].map((key) => ({
    section: 'server',
    key,
    asks: isOn,
    reason:
      'certificates are not fetched by this program; let an ACME client write the files of CERT_FILE and KEY_FILE, which are read again when they change',
  })),
  ...[
    'USE_PROXY_PROTOCOL',
    'LOCAL_USE_PROXY_PROTOCOL',
    'REDIRECTOR_USE_PROXY_PROTOCOL',
    'SSH_SERVER_USE_PROXY_PROTOCOL',
  ].map((key) => ({
    section: 'server',
    key,
    asks: isOn,
    reason: 'the PROXY protocol is not supported; let the proxy send X-Forwarded-For',
  })),
  ...['SSH_SERVER_CIPHERS', 'SSH_SERVER_KEY_EXCHANGES', 'SSH_SERVER_MACS'].map((key) => ({
    section: 'server',
    key,
    reason: 'the algorithms of the SSH server cannot be chosen; remove the line',
  })),
  {
    section: 'server',
    key: 'SSH_TRUSTED_USER_CA_KEYS_FILENAME',
    reason: 'authorities are not read from a file; list their keys in SSH_TRUSTED_USER_CA_KEYS',
  },
  { section: 'git', key: 'DISABLE_PARTIAL_CLONE', asks: isOn, reason: 'partial clones cannot be switched off' },
  {
    section: 'repository',
    key: 'ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT',
    asks: isOff,
    reason: 'forks always count without a limit of their own; use [quota]',
  },
  {
    section: 'repository',
    key: 'ACCESS_CONTROL_ALLOW_ORIGIN',
    reason: 'git over HTTP has no origin of its own; use [cors]',
  },
  ...['USER_DISABLED_FEATURES', 'EXTERNAL_USER_DISABLE_FEATURES'].map((key) => ({
    section: 'admin',
    key,
    reason: 'features cannot be taken away from accounts',
  })),
  { section: 'moderation', key: 'ENABLED', asks: isOn, reason: 'reports of abuse are not supported' },
  {
    section: 'proxy',
    key: 'PROXY_ENABLED',
    asks: isOn,
    reason: 'outgoing requests cannot use a proxy',
  },
  ...['ENABLE_CAPTCHA', 'REQUIRE_CAPTCHA_FOR_LOGIN', 'REQUIRE_EXTERNAL_REGISTRATION_CAPTCHA'].map((key) => ({
    section: 'service',
    key,
    asks: isOn,
    reason:
      'captchas are not supported; use REGISTER_EMAIL_CONFIRM or REGISTER_MANUAL_CONFIRM against sign-ups by programs',
  })),
  {
    section: 'service',
    key: 'EMAIL_DOMAIN_BLOCK_DISPOSABLE',
    asks: isOn,
    reason: 'there is no list of disposable addresses; use EMAIL_DOMAIN_BLOCKLIST',
  },
  {
    section: 'service',
    key: 'REQUIRE_EXTERNAL_REGISTRATION_PASSWORD',
    asks: isOn,
    reason: 'accounts of other sign-in sources have no password here',
  },
  {
    section: 'mailer',
    key: 'IS_TLS_ENABLED',
    asks: isOn,
    reason: 'is an old key; set PROTOCOL = smtps',
  },
]

function isOn(text: string): boolean {
  return /^(1|t|true|y|yes|on)$/i.test(text.trim())
}

function isOff(text: string): boolean {
  return /^(0|f|false|n|no|off)$/i.test(text.trim())
}

/** Reports each given setting that the program cannot obey and must not ignore. */
export function reportUnsupported(
  raw: RawSettings,
  report: (section: string, key: string, reason: string) => void,
): void {
  for (const { section, key, asks, reason } of unsupported) {
    const text = raw.own(section, key)?.text ?? ''
    if (text !== '' && (asks === undefined || asks(text))) report(section, key, reason)
  }
}
