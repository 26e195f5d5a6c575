import type { RawSettings } from './raw-settings.ts'

/**
 * Settings of the family that the server does not support and must not ignore. With each of them an administrator
 * restricts accounts, secures a connection or chooses how clients reach the server. The server refuses to start. Other
 * unsupported settings concern page appearance or internals of another program, and only cause a warning.
 */
const unsupported: readonly {
  readonly section: string
  readonly key: string
  /** Returns whether a text has an effect; by default each non-empty text. */
  readonly asks?: (text: string) => boolean
  readonly reason: string
}[] = [
  ...['ENABLE_ACME', 'ENABLE_LETSENCRYPT'].map((key) => ({
    section: 'server',
    key,
    asks: isOn,
    reason:
      'the server does not request certificates; let an ACME client write CERT_FILE and KEY_FILE, which the server reads again after each change',
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
    reason: 'certificate authorities are not read from a file; list their keys in SSH_TRUSTED_USER_CA_KEYS',
  },
  { section: 'git', key: 'DISABLE_PARTIAL_CLONE', asks: isOn, reason: 'partial clones cannot be switched off' },
  {
    section: 'repository',
    key: 'ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT',
    asks: isOff,
    reason: 'forks have no separate limit; use [quota]',
  },
  {
    section: 'repository',
    key: 'ACCESS_CONTROL_ALLOW_ORIGIN',
    reason: 'git over HTTP has no separate CORS setting; use [cors]',
  },
  ...['USER_DISABLED_FEATURES', 'EXTERNAL_USER_DISABLE_FEATURES'].map((key) => ({
    section: 'admin',
    key,
    asks: (text: string) => /manage_/i.test(text),
    reason: 'only the deletion of accounts can be disabled; people manage their keys themselves',
  })),
  { section: 'moderation', key: 'ENABLED', asks: isOn, reason: 'abuse reports are not supported' },
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
      'captchas are not supported; use REGISTER_EMAIL_CONFIRM or REGISTER_MANUAL_CONFIRM against automated registration',
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
    reason: 'accounts of external sign-in sources have no local password',
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

/** Reports each configured setting that is unsupported and must not be ignored. */
export function reportUnsupported(
  raw: RawSettings,
  report: (section: string, key: string, reason: string) => void,
): void {
  for (const { section, key, asks, reason } of unsupported) {
    const text = raw.own(section, key)?.text ?? ''
    if (text !== '' && (asks === undefined || asks(text))) report(section, key, reason)
  }
}
