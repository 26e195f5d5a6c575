import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import familySettings from './family-settings.json' with { type: 'json' }
import { ConfigError, formatRemark } from './config-error.ts'
import { type ConfigOverrides, loadConfig, withBoundPorts } from './load-config.ts'
import { listSettings, sections } from './sections.ts'
import { cipherList } from './tls-names.ts'
import { parseBytes, parseDurationMs, type Section } from './setting.ts'

interface Given {
  readonly ini?: string
  readonly env?: Record<string, string>
  readonly overrides?: ConfigOverrides
  /** Additional files, by name. */
  readonly files?: Record<string, string>
}

/** Loads settings from a new temporary folder; `load` receives its path. */
async function inFolder<T>(
  given: Given,
  use: (load: () => ReturnType<typeof loadConfig>, folder: string) => T,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-config-'))
  try {
    if (given.ini !== undefined) await writeFile(join(folder, 'app.ini'), given.ini)
    for (const [name, text] of Object.entries(given.files ?? {})) await writeFile(join(folder, name), text)
    const configFile = given.ini === undefined ? undefined : join(folder, 'app.ini')
    const env = Object.fromEntries(
      Object.entries(given.env ?? {}).map(([name, value]) => [name, value.replaceAll('$FOLDER', folder)]),
    )
    return use(() => loadConfig({ overrides: { configFile, ...given.overrides }, env, cwd: folder }), folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const load = (given: Given) => inFolder(given, (run) => run())
const problemsOf = (given: Given): Promise<string[]> =>
  inFolder(given, (run) => {
    try {
      run()
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.problems.map(formatRemark)
    }
    return assert.fail('the settings were accepted')
  })

test('the defaults form a usable and frozen configuration', async () => {
  const { config, warnings, file } = await load({})
  assert.deepEqual([warnings, file], [[], undefined])
  assert.equal(config.server.rootUrl, 'http://localhost:3000/')
  assert.equal(config.server.localRootUrl, 'http://localhost:3000/')
  assert.equal(config.server.subPath, '')
  assert.equal(config.database.kind, 'sqlite3')
  assert.equal(config.repository.defaultBranch, 'main')
  assert.equal(config.repositorySigning.signingKey, 'default')
  assert.equal(config.service.noReplyAddress, 'noreply.localhost')
  assert.equal(config.serviceExplore.requireSigninView, false)
  assert.equal(config.mirror.defaultInterval, 8 * 3600 * 1000)
  assert.equal(config.instance.appName, 'Ingot')
  assert.equal(config.firstAdmin, undefined)
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.server) && Object.isFrozen(config.ui.reactions))
})

test('each member is the camel-case form of its key, and each key is declared once', () => {
  const camel = (name: string): string =>
    name.toLowerCase().replace(/[._-]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const seen = new Set<string>()
  for (const [member, section] of Object.entries(sections) as [string, Section][]) {
    assert.equal(member, section.name === '' ? 'instance' : camel(section.name))
    for (const [name, setting] of Object.entries(section.settings)) {
      assert.equal(name, camel(setting.key), `${section.name} ${setting.key}`)
      assert.ok(!seen.has(`${section.name} ${setting.key}`))
      seen.add(`${section.name} ${setting.key}`)
      assert.ok(setting.meaning.length > 5)
      if (!setting.defaultText.includes('%(') && setting.defaultText !== '') {
        assert.deepEqual(setting.parse(setting.defaultText), setting.defaultValue, setting.key)
      }
    }
  }
})

test('defaults equal those of the family, with listed exceptions', () => {
  const ownDefaults = new Set([
    // Names of the program, its files and its themes.
    ' APP_NAME',
    'security COOKIE_REMEMBER_NAME',
    'server SSH_SERVER_HOST_KEYS',
    'ui THEMES',
    // Empty in the published list, or an example value.
    'service NO_REPLY_ADDRESS',
    'service USER_LOCATION_MAP_URL',
    'actions DEFAULT_ACTIONS_URL',
    'mailer CLIENT_CERT_FILE',
    'mailer CLIENT_KEY_FILE',
    'cron.delete_repo_archives SCHEDULE',
    'cron.update_checker ENABLED',
    // Derived when empty.
    'server ROOT_URL',
    'server LOCAL_ROOT_URL',
    // Observed: short RSA keys are refused. External avatars contradict OFFLINE_MODE, which is on.
    'server MINIMUM_KEY_SIZE_CHECK',
    'picture DISABLE_GRAVATAR',
    // SMTP needs no local mail program.
    'mailer PROTOCOL',
    // Without [cron] ENABLED each task has its own default.
    'cron ENABLED',
    // The list describes a number of days; an empty value has this meaning.
    'git.reflog EXPIRATION',
    // The empty extension applies to files without an extension.
    'repository.editor LINE_WRAP_EXTENSIONS',
  ])
  const wrong = listSettings().flatMap(({ section, setting }) => {
    const family = familySettings.find((row) => row.section === section && row.key === setting.key)
    if (family === undefined || family.default === null || ownDefaults.has(`${section} ${setting.key}`)) return []
    const text = Array.isArray(family.default) ? family.default.join(',') : String(family.default)
    if (text === setting.defaultText || (text === '' && !setting.isSecret && setting.emptyMeansDefault)) return []
    const value = text.includes('%(') ? text : setting.parse(text)
    return JSON.stringify(value) === JSON.stringify(setting.defaultValue) ? [] : [`${section} ${setting.key}: ${text}`]
  })
  assert.deepEqual(wrong, [])
})

test('a file can contain dotted sections, comments, quotes and interpolation, and a section inherits from its parent', async () => {
  const { config, warnings } = await load({
    ini: `; comment
APP_NAME = My "Forge" ; trailing
[server]
PROTOCOL = http
DOMAIN: forge.example.com
HTTP_PORT = 8080   # port
ROOT_URL = https://%(DOMAIN)s/git
[repository.signing]
SIGNING_NAME = \`a ; b # c\`
INITIAL_COMMIT = pubkey, "twofa"
[repository.pull-request]
WORK_IN_PROGRESS_PREFIXES = "WIP:", '[WIP]', Draft
[service]
REQUIRE_SIGNIN_VIEW = yes
[cron]
ENABLED = false
[cron.update_mirrors]
ENABLED = true
SCHEDULE = @every 5m
[database]
PASSWD = """two
lines"""
[git.config]
core.logAllRefUpdates = true
[quota.default]
TOTAL = 1.5 GiB
`,
  })
  assert.deepEqual(warnings, [])
  assert.equal(config.instance.appName, 'My "Forge"')
  assert.equal(config.server.rootUrl, 'https://forge.example.com/git/')
  assert.equal(config.server.subPath, '/git')
  assert.equal(config.server.httpPort, 8080)
  assert.equal(config.session.cookieSecure, true)
  assert.equal(config.repositorySigning.signingName, 'a ; b # c')
  assert.deepEqual(config.repositorySigning.initialCommit, ['pubkey', 'twofa'])
  assert.deepEqual(config.repositoryPullRequest.workInProgressPrefixes, ['WIP:', '[WIP]', 'Draft'])
  assert.equal(config.serviceExplore.requireSigninView, true)
  assert.equal(config.cronUpdateMirrors.enabled, true)
  assert.equal(config.cronUpdateMirrors.schedule, '@every 5m')
  assert.equal(config.cronCleanupActions.enabled, false)
  assert.equal(config.database.passwd, 'two\nlines')
  assert.deepEqual(config.gitConfig, { 'core.logAllRefUpdates': 'true' })
  assert.equal(config.quotaDefault.total, 1.5 * 1024 ** 3)
})

test('each invalid value is reported with its line, section, key and reason', async () => {
  assert.deepEqual(
    await problemsOf({
      ini: `[server]
HTTP_PORT = eighty
PROTOCOL = gopher
[database]
DB_TYPE = mysql
nonsense
[mirror]
MIN_INTERVAL = 10
[api]
MAX_RESPONSE_ITEMS = 0
[repository.signing]
WIKI = always, often
[quota.default]
TOTAL = much
[server
[service]
NO_REPLY_ADDRESS = %(NOBODY)s
[cron.update_mirrors]
SCHEDULE = now and then
`,
    }),
    [
      'app.ini line 2: [server] HTTP_PORT: must be a whole number from 0 to 65535',
      'app.ini line 3: [server] PROTOCOL: must be one of http, https, http+unix',
      'app.ini line 5: [database] DB_TYPE: must be one of sqlite3, postgres',
      'app.ini line 6: [database]: this is neither a section, a comment nor KEY = value',
      'app.ini line 8: [mirror] MIN_INTERVAL: must be a duration with a unit, like 30s, 10m or 1h30m',
      'app.ini line 10: [api] MAX_RESPONSE_ITEMS: must be a whole number from 1 to 10000',
      'app.ini line 12: [repository.signing] WIKI: "often" is not one of never, pubkey, twofa, parentsigned, always',
      'app.ini line 14: [quota.default] TOTAL: must be a size like 4096, 512 KiB or 2 GiB',
      'app.ini line 15: [quota.default]: this is no section heading like [server]',
      'app.ini line 17: [service] NO_REPLY_ADDRESS: %(NOBODY)s has no value',
      'app.ini line 19: [cron.update_mirrors] SCHEDULE: must be @hourly, @daily, @midnight, @weekly, @monthly, ' +
        '@annually, @every 72h or five or six cron fields',
    ],
  )
  const circle = await problemsOf({ ini: '[server]\nDOMAIN = %(SSH_DOMAIN)s\nSSH_DOMAIN = %(DOMAIN)s\n' })
  assert.match(circle[0] ?? '', /line 2: \[server\] DOMAIN: %\(\w+\)s refers to itself/)
  assert.match(
    (await problemsOf({ overrides: { configFile: '/nowhere/app.ini' } }))[0] ?? '',
    /app.ini: does not exist/,
  )
})

test('contradicting and incomplete groups of keys are reported', async () => {
  assert.deepEqual(await problemsOf({ ini: '[mailer]\nENABLED = true\n[server]\nPROTOCOL = https\n' }), [
    '[server] CERT_FILE: is needed with PROTOCOL = https',
    '[server] KEY_FILE: is needed with PROTOCOL = https',
    '[mailer] FROM: is needed to send mail',
    '[mailer] SMTP_ADDR: is needed to send mail',
  ])
  assert.match((await problemsOf({ ini: '[server]\nPROTOCOL = http+unix\n' }))[0] ?? '', /must be the path of a socket/)
  const socket = await load({ ini: '[server]\nPROTOCOL = http+unix\nHTTP_ADDR = ./run/web.sock\nDOMAIN = a.example\n' })
  assert.match(socket.config.server.httpAddr, /^\/.*\/run\/web\.sock$/)
  assert.equal(socket.config.server.rootUrl, 'http://a.example/')
  const secure = await load({
    ini: '[server]\nPROTOCOL = https\nHTTP_PORT = 443\nDOMAIN = ::1\nCERT_FILE = c.pem\nKEY_FILE = /k.pem\n',
    overrides: { host: '[::1]' },
  })
  assert.equal(secure.config.server.rootUrl, 'https://[::1]/')
  assert.equal(secure.config.server.httpAddr, '::1')
  assert.match(secure.config.server.certFile, /^\/.*\/c\.pem$/)
  assert.equal(secure.config.server.keyFile, '/k.pem')
  const kept = await load({ ini: '[service]\nUSERNAME_COOLDOWN_PERIOD = 7\nALLOWED_USER_VISIBILITY_MODES = private\n' })
  assert.equal(kept.config.service.maxUserRedirects, 5)
  assert.equal(kept.config.service.defaultUserVisibility, 'private')
})

test('unknown keys, duplicate keys and comments without a preceding blank cause warnings; unused keys of the family do not', async () => {
  const { warnings, config } = await load({
    ini: `[server]
HTTP_PROT = 80
ACME_EMAIL = a@b
[log.console]
COLORIZE = false
[security]
INSTALL_LOCK = true
SECRET_KEY = abc#def
[ui]
THEMES = a
THEMES = b
[nonsense]
A = 1
[storage.my_minio]
MINIO_BUCKET = x
`,
    env: { INGOT__server__HTTP_PROT2: '1' },
  })
  assert.deepEqual(warnings.map(formatRemark), [
    'app.ini line 8: [security] SECRET_KEY: the text after # is a comment; put the value in backticks to keep it',
    'app.ini line 11: [ui] THEMES: stands here again and replaces line 10',
    'app.ini line 2: [server] HTTP_PROT: is no setting that anybody knows',
    'INGOT__server__HTTP_PROT2: [server] HTTP_PROT2: is no setting that anybody knows',
    'app.ini line 13: [nonsense] A: is no setting that anybody knows',
  ])
  assert.equal(config.security.secretKey, 'abc')
  assert.deepEqual(config.ui.themes, ['b'])
})

test('options override variables, and variables override the file; INGOT overrides FORGEJO, and FORGEJO overrides GITEA', async () => {
  const { config, settings } = await load({
    ini: 'APP_NAME = file\n[server]\nHTTP_PORT = 1\nDOMAIN = file.example\n',
    env: {
      GITEA____APP_NAME: 'gitea',
      FORGEJO____APP_NAME: 'forgejo',
      INGOT__DEFAULT__APP_SLOGAN: 'slogan',
      GITEA__server__HTTP_PORT: '2',
      INGOT__server__DOMAIN: 'env.example',
      INGOT__repository_0X2E_signing__SIGNING_NAME: 'dots',
      FORGEJO__repository_0X2E_pull_0X2D_request__DEFAULT_MERGE_STYLE: 'squash',
      INGOT__database__PASSWD__FILE: '$FOLDER/password',
    },
    files: { password: 'p%(x)s#;\n' },
    overrides: { port: 3, host: '::1', sshPort: '2222', dataFolder: 'mine' },
  })
  assert.equal(config.instance.appName, 'forgejo')
  assert.equal(config.instance.appSlogan, 'slogan')
  assert.equal(config.server.rootUrl, 'http://env.example:3/')
  assert.equal(config.server.localRootUrl, 'http://[::1]:3/')
  assert.equal(config.server.httpAddr, '::1')
  assert.deepEqual([config.server.sshPort, config.server.sshListenPort], [2222, 2222])
  assert.equal(config.repositorySigning.signingName, 'dots')
  assert.equal(config.repositoryPullRequest.defaultMergeStyle, 'squash')
  assert.equal(config.database.passwd, 'p%(x)s#;')
  assert.match(config.paths.database, /\/mine\/ingot\.db$/)
  const shown = settings.find((setting) => setting.key === 'PASSWD' && setting.section === 'database')
  assert.deepEqual([shown?.value, shown?.origin], ['********', 'INGOT__database__PASSWD__FILE'])
  assert.deepEqual(await problemsOf({ env: { INGOT__a: '1', INGOT__database__USER__FILE: '/nowhere' } }), [
    'INGOT__a: does not have the form INGOT__section__KEY',
    'INGOT__database__USER__FILE: /nowhere: does not exist',
  ])
})

test('bound ports replace port 0, and a configured SSH_PORT stays', async () => {
  const mapped = await load({ ini: '[server]\nSSH_PORT = 22\n', overrides: { sshPort: 2222 } })
  assert.deepEqual([mapped.config.server.sshPort, mapped.config.server.sshListenPort], [22, 2222])
  const free = await load({ overrides: { port: 0, sshPort: 0 } })
  const bound = withBoundPorts(free.config, { http: 4711, ssh: 4712 })
  assert.equal(bound.server.rootUrl, 'http://localhost:4711/')
  assert.equal(bound.server.localRootUrl, 'http://localhost:4711/')
  assert.deepEqual([bound.server.sshPort, bound.server.sshListenPort], [4712, 4712])
  assert.ok(Object.isFrozen(bound))
})

test('a secret can be read from a file URI', async () => {
  const { config } = await inFolder({ files: { key: 'from file\n' } }, (_, folder) =>
    loadConfig({ env: { INGOT__security__SECRET_KEY_URI: `file:${folder}/key` }, cwd: folder }),
  )
  assert.equal(config.security.secretKey, 'from file')
  assert.match((await problemsOf({ ini: '[security]\nSECRET_KEY_URI = vault:x\n' }))[0] ?? '', /line 2.*file:\/path/)
  assert.match(
    (await problemsOf({ ini: '[security]\nSECRET_KEY = a\nSECRET_KEY_URI = file:/x\n' }))[0] ?? '',
    /together with SECRET_KEY/,
  )
})

test('environment variables define the first administrator', async () => {
  const { config } = await load({
    env: { INGOT_ADMIN_LOGIN: 'root', INGOT_ADMIN_PASSWORD__FILE: '$FOLDER/pw', INGOT_ADMIN_EMAIL: 'root@example.com' },
    files: { pw: 'Passw0rd!\n' },
  })
  assert.deepEqual(config.firstAdmin, { login: 'root', password: 'Passw0rd!', email: 'root@example.com' })
  assert.deepEqual(await problemsOf({ env: { INGOT_ADMIN_LOGIN: 'root', INGOT_ADMIN_EMAIL: 'x' } }), [
    'INGOT_ADMIN_PASSWORD: is needed with the other INGOT_ADMIN_ variables',
    'INGOT_ADMIN_EMAIL: must be an e-mail address',
  ])
  const short = await load({ env: { INGOT_ADMIN_PASSWORD: 'Passw0rd!' } })
  assert.deepEqual(short.config.firstAdmin, { login: 'root', password: 'Passw0rd!', email: 'root@localhost' })
})

test('a warning about an unknown section names the nearest known one', async () => {
  const near = {
    sever: 'server',
    'data-base': 'database',
    repositories: 'repository',
    'cron.updatemirrors': 'cron.update_mirrors',
    attachments: 'attachment',
    'git.conf': 'git.config',
  }
  for (const [section, meant] of Object.entries(near)) {
    const { warnings } = await load({ ini: `[${section}]\nA = 1\n` })
    const line = `app.ini line 2: [${section}] A: is no setting that anybody knows; did you mean [${meant}]?`
    assert.deepEqual(warnings.map(formatRemark), [line])
  }
})

test('storage is a local folder by default, an S3 service for all kinds, or a named section for one kind', async () => {
  const usual = await load({ overrides: { dataFolder: '/srv/ingot' } })
  assert.deepEqual(usual.config.storage.attachments, { type: 'local', path: '/srv/ingot/blobs/attachments' })
  const { config, warnings } = await load({
    ini: `[storage]
STORAGE_TYPE = minio
MINIO_ENDPOINT = s3.example.com
MINIO_USE_SSL = true
MINIO_BUCKET = forge
[attachment]
STORAGE_TYPE = mine
[storage.mine]
STORAGE_TYPE = minio
MINIO_ENDPOINT = http://127.0.0.1:9000
MINIO_BASE_PATH = files
MINIO_BUCKET_LOOKUP = dns
[storage.lfs]
STORAGE_TYPE = local
PATH = /mnt/lfs
`,
  })
  assert.deepEqual(warnings, [])
  assert.deepEqual(config.storage.packages, {
    type: 's3',
    endpoint: 'https://s3.example.com',
    accessKeyId: '',
    secretAccessKey: '',
    bucket: 'forge',
    region: 'us-east-1',
    basePath: 'packages/',
    usePathStyle: true,
    skipTlsVerify: false,
    serveDirect: false,
  })
  assert.deepEqual(config.storage.attachments, {
    type: 's3',
    endpoint: 'http://127.0.0.1:9000',
    accessKeyId: '',
    secretAccessKey: '',
    bucket: 'forge',
    region: 'us-east-1',
    basePath: 'files/',
    usePathStyle: false,
    skipTlsVerify: false,
    serveDirect: false,
  })
  assert.deepEqual(config.storage.lfs, { type: 'local', path: '/mnt/lfs' })
  assert.match(
    (await problemsOf({ ini: '[lfs]\nSTORAGE_TYPE = elsewhere\n' }))[0] ?? '',
    /line 2: \[lfs\] STORAGE_TYPE.*\[storage\.elsewhere\]/,
  )
})

test(
  'the two profiles of the recorded exchanges are understood whole',
  { skip: !existsSync('test/conformance/profiles') },
  () => {
    for (const profile of ['default', 'restricted']) {
      const { config, warnings } = loadConfig({
        overrides: {
          configFile: `test/conformance/profiles/${profile}.ini`,
          dataFolder: '/tmp/nowhere',
          port: 3456,
          sshPort: 3457,
        },
        env: {},
      })
      assert.deepEqual(warnings, [])
      assert.equal(config.server.rootUrl, 'http://127.0.0.1:3456/')
      assert.equal(config.instance.appName, 'Forge')
      assert.equal(config.log.level, 'error')
      assert.equal(config.cronUpdateMirrors.enabled, false)
      if (profile === 'default') {
        assert.equal(config.mirror.minInterval, 60_000)
        assert.deepEqual(config.webhook.allowedHostList, ['loopback'])
        assert.equal(config.quota.enabled, true)
      } else {
        assert.deepEqual(config.security.passwordComplexity, ['lower', 'upper', 'digit', 'spec'])
        assert.equal(config.repository.maxCreationLimit, 3)
        assert.equal(config.service.defaultUserVisibility, 'limited')
        assert.deepEqual(config.cors.headers, ['X-Custom'])
        assert.equal(config.api.maxResponseItems, 7)
      }
    }
  },
)

test('durations are parsed to milliseconds and sizes to bytes', () => {
  assert.deepEqual(['90s', '1h30m', '1.5h', '7d', '0', '-5m', '250ms', '10', 'x', ''].map(parseDurationMs), [
    90_000,
    5_400_000,
    5_400_000,
    604_800_000,
    0,
    -300_000,
    250,
    undefined,
    undefined,
    undefined,
  ])
  assert.deepEqual(['4096', '512 KiB', '1.5GB', '2g', '1XB', '-1', ''].map(parseBytes), [
    4096,
    524_288,
    1_500_000_000,
    2_147_483_648,
    undefined,
    undefined,
    undefined,
  ])
})

test('TLS settings without PROTOCOL = https are errors', async () => {
  const needs = 'has an effect only with PROTOCOL = https'
  for (const protocol of ['http', 'http+unix']) {
    const ini = `[server]
PROTOCOL = ${protocol}
HTTP_ADDR = /run/ingot.sock
CERT_FILE = cert.pem
KEY_FILE = key.pem
SSL_MIN_VERSION = TLSv1.3
SSL_MAX_VERSION = TLSv1.3
SSL_CURVE_PREFERENCES = X25519
SSL_CIPHER_SUITES = ecdhe_rsa_with_aes_256_gcm_sha384
REDIRECT_OTHER_PORT = true
PORT_TO_REDIRECT = 8080
`
    assert.deepEqual(
      await problemsOf({ ini }),
      Array.from(ini.matchAll(/^(CERT|KEY|SSL|REDIRECT|PORT).*?(?= =)/gm), ([key], index) => {
        return `app.ini line ${index + 4}: [server] ${key}: ${needs}`
      }),
    )
  }
  assert.deepEqual(await problemsOf({ ini: '[server]\nPROTOCOL = https\nSSL_MIN_VERSION = TLSv1.1\n' }), [
    'app.ini line 3: [server] SSL_MIN_VERSION: must be one of TLSv1.2, TLSv1.3',
    '[server] CERT_FILE: is needed with PROTOCOL = https',
    '[server] KEY_FILE: is needed with PROTOCOL = https',
  ])
  const files = '[server]\nPROTOCOL = https\nCERT_FILE = cert.pem\nKEY_FILE = key.pem\n'
  const versions = 'SSL_MIN_VERSION = TLSv1.3\nSSL_MAX_VERSION = TLSv1.2\n'
  assert.deepEqual(await problemsOf({ ini: files + versions }), [
    'app.ini line 5: [server] SSL_MIN_VERSION: must not be newer than SSL_MAX_VERSION',
  ])
  assert.match(
    (await problemsOf({ ini: `${files}SSL_CIPHER_SUITES = rsa_with_rc4_128_sha\n` })).join(),
    /is not one of/,
  )
  const { config } = await load({ ini: `${files}SSL_CIPHER_SUITES = tls_ecdhe_rsa_with_aes_256_gcm_sha384\n` })
  assert.equal(
    cipherList(config.server.sslCipherSuites),
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES256-GCM-SHA384',
  )
})

test('unsupported settings that must not be ignored are errors with a reason', async () => {
  const ini = `[server]
ENABLE_ACME = true
USE_PROXY_PROTOCOL = true
SSH_SERVER_MACS = hmac-sha2-256
[admin]
USER_DISABLED_FEATURES = deletion, manage_ssh_keys
[git]
DISABLE_PARTIAL_CLONE = true
[repository]
ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT = false
[moderation]
ENABLED = true
[proxy]
PROXY_ENABLED = true
[service]
ENABLE_CAPTCHA = true
`
  const problems = await problemsOf({ ini })
  assert.deepEqual(
    problems.map((problem) => Number(/line (\d+)/.exec(problem)?.[1])),
    [2, 3, 4, 6, 8, 10, 12, 14, 16],
  )
  for (const protocol of ['fcgi', 'fcgi+unix', 'gopher']) {
    assert.deepEqual(await problemsOf({ ini: `[server]\nPROTOCOL = ${protocol}\n` }), [
      'app.ini line 2: [server] PROTOCOL: must be one of http, https, http+unix',
    ])
  }
  // The same keys with a value that matches the behaviour, as existing files of the family contain them.
  const harmless = ini
    .replaceAll(/ = (true|hmac.*)$/gm, (_, value: string) => (value === 'true' ? ' = false' : ' ='))
    .replace('deletion, manage_ssh_keys', 'deletion')
    .replace('LIMIT = false', 'LIMIT = true')
  await load({ ini: harmless })
})

test('a default branch that no branch can be called is refused', async () => {
  for (const name of ['a..b', 'a b', '/a', 'a.lock', 'HEAD', 'a~1', '.a']) {
    const [problem] = await problemsOf({ ini: `[repository]\nDEFAULT_BRANCH = ${name}\n` })
    assert.equal(problem, 'app.ini line 2: [repository] DEFAULT_BRANCH: must be a name that a branch can have', name)
  }
})
