import { existsSync, readdirSync } from 'node:fs'
import { createServer, type ListenOptions } from 'node:net'
import { once } from 'node:events'
import { basename, dirname, relative, sep } from 'node:path'
import { databaseOptions, gitBinaryOf } from '../app-options.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Config, LoadedConfig } from '../config/load-config.ts'
import { FolderInUse, lockFolder } from '../db/folder-lock.ts'
import { checkDatabase } from '../db/migrate.ts'
import { closeDatabase, openDatabase } from '../db/open.ts'
import { reachDatabase } from '../db/reach.ts'
import { checkGitVersion } from '../git/git-version.ts'
import { loadInstanceKeys } from '../secrets/instance-key.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { checkSigningKey } from '../site/signing-key.service.ts'
import { problemOfHostKey } from '../transport/ssh/ssh-host-keys.ts'
import { openBlobs } from '../storage/open-blobs.ts'
import { findForeignParts, WrongInstance } from '../admin/identity/identity.service.ts'
import { namedStorages } from '../admin/identity/marked-storages.ts'
import { CommandFailure } from './exit.ts'
import { checkCertificate, explained, refuseBegunRestore } from './instance.ts'
import { checkFolders } from './start.ts'

/**
 * Checks what a start depends on and what changes nothing: certificate, signing key, and that the data folder is that of an
 * instance or a new one. `serve` and `config check` call it, so that they refuse the same settings.
 * @throws ConfigError or CommandFailure
 */
export async function checkStart(loaded: LoadedConfig): Promise<void> {
  await checkCertificate(loaded)
  await checkHostKeys(loaded.config)
  await withOrigin(loaded, () => checkSigningKey(loaded.config))
  refuseForeignFolder(loaded)
  await refuseBegunRestore(loaded.config)
}

/** Checks the stored host keys of the SSH server, which reads them for its first client. @throws CommandFailure */
async function checkHostKeys({ server, paths }: Config): Promise<void> {
  if (!server.startSshServer || server.disableSsh) return
  for (const path of paths.sshHostKeys) {
    // oxlint-disable-next-line no-await-in-loop -- three small files
    const problem = await problemOfHostKey(path)
    if (problem === undefined) continue
    throw new CommandFailure(
      `${path} is not a host key: ${problem}; restore it, name another with [server].SSH_SERVER_HOST_KEYS, or remove it, and it is written again from the database`,
    )
  }
}

/** Fills in where the settings of an error are. */
async function withOrigin({ settings }: LoadedConfig, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const located = error.problems.map((problem) => {
      const found = settings.find(({ section, key }) => section === problem.section && key === problem.key)
      return { ...problem, where: found?.origin ?? problem.where }
    })
    throw new ConfigError(located, error.warnings)
  }
}

/**
 * Checks what `serve` finds out by its work: folders, git, keys, database, identity, storages and ports. It creates nothing.
 * @returns storages that do not answer, without which `serve` starts
 * @throws ConfigError, CommandFailure or the error of the database
 */
export async function tryStart({ config }: LoadedConfig): Promise<readonly string[]> {
  const { database, paths, security, ingot } = config
  const silent: string[] = []
  await explained(config, async () => {
    checkFolders(config)
    await checkGitVersion(gitBinaryOf(config))
    const keys =
      security.secretKey !== '' || existsSync(paths.secretKeyFile)
        ? await loadInstanceKeys({
            secretKey: security.secretKey,
            oldSecretKeys: ingot.oldSecretKeys,
            keyFile: paths.secretKeyFile,
          })
        : undefined
    if (database.kind === 'postgres' || existsSync(paths.database)) {
      const db = openDatabase(databaseOptions(config))
      try {
        await reachDatabase(db, { retries: 1, backoffMs: 0, log: () => {} })
        if (await checkDatabase(db)) {
          const storages = await namedStorages(config, openBlobs)
          const found = await findForeignParts(db, keys && createSecrets(keys).keyIds, storages)
          silent.push(...found.silent)
          const [first] = found.problems
          if (first !== undefined) throw new WrongInstance(first)
        }
      } finally {
        await closeDatabase(db)
      }
    }
    // A running server has its own ports.
    if (!isServed(config)) await tryPorts(config)
  })
  return silent
}

/** Returns whether a server runs on the data folder. */
function isServed({ database, paths }: Config): boolean {
  if (database.kind !== 'sqlite3' || !existsSync(paths.database)) return false
  try {
    lockFolder(paths.data).release()
    return false
  } catch (error) {
    if (error instanceof FolderInUse) return true
    throw error
  }
}

/** Listens for a moment on each port. Throws the error of the system. */
async function tryPorts({ server }: Config): Promise<void> {
  const { protocol, httpAddr, httpPort, startSshServer, disableSsh, sshListenPort, sshListenHost } = server
  // The end of listening removes a socket.
  const ports: ListenOptions[] = [protocol === 'http+unix' ? { path: httpAddr } : { port: httpPort, host: httpAddr }]
  if (startSshServer && !disableSsh) ports.push({ port: sshListenPort, host: sshListenHost })
  if (protocol === 'https' && server.redirectOtherPort) ports.push({ port: server.portToRedirect, host: httpAddr })
  await Promise.all(
    ports.map(async (at) => {
      const tried = createServer().listen(at)
      await once(tried, 'listening')
      tried.close()
    }),
  )
}

/** Names in a data folder that administrators and file systems create before the first start. */
const usualNames = new Set([
  'app.ini',
  'conf',
  'custom',
  'lost+found',
  'ingot.lock',
  'ingot.pid',
  'ssh',
  'jwt',
  'log',
  'tmp',
])

/**
 * Refuses a data folder without an instance and with other files: a mistyped `--data` would mix both.
 * @throws CommandFailure
 */
function refuseForeignFolder({ config, file }: LoadedConfig): void {
  const { database, paths, server, storage } = config
  if (database.kind === 'sqlite3' ? existsSync(paths.database) : existsSync(paths.secretKeyFile)) return
  const named = [
    ...(file === undefined ? [] : [file]),
    ...Object.values(paths).flat(),
    dirname(paths.database),
    server.certFile,
    server.keyFile,
    ...Object.values(storage).flatMap((storageSettings) =>
      storageSettings.type === 'local' ? [storageSettings.path] : [],
    ),
  ].map((path) => relative(paths.data, path).split(sep)[0])
  const foreign = entriesOf(paths.data).find(
    (name) =>
      !name.startsWith('.') && !usualNames.has(name) && !named.includes(name) && !/\.(?:pem|key|crt)$/.test(name),
  )
  if (foreign === undefined) return
  throw new CommandFailure(
    `${paths.data} contains no instance, but other files (${basename(foreign)}); name an empty folder with --data, or restore the database of the instance`,
  )
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The start creates the folder, or says why that is impossible.
    return []
  }
}
