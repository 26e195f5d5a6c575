import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { DatabaseUnreachable } from '../db/reach.ts'
import { makeFolder } from '../lib/make-folder.ts'
import { CommandFailure } from './exit.ts'
import { wordTable } from '../lib/word-table.ts'

const codeOf = (error: unknown): string => (error as { readonly code?: string } | null)?.code ?? ''
const messageOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error))

/** Creates the folders that the settings name. Throws CommandFailure with the folder, the cause and the setting. */
export const makeFolders = (config: Config): void => eachFolder(config, makeFolder)

/** Throws what `makeFolders` would throw, and creates nothing. */
export const checkFolders = (config: Config): void => eachFolder(config, (path) => checkFolder(path))

/** Throws the error of the system that the creation of a folder would meet. */
function checkFolder(path: string, wanted = path): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return checkFolder(dirname(path), wanted)
  if (!found.isDirectory()) throw Object.assign(new Error(), { code: path === wanted ? 'EEXIST' : 'ENOTDIR' })
  if (path !== wanted) accessSync(path, constants.W_OK | constants.X_OK)
}

function eachFolder({ paths, database, storage }: Config, work: (path: string, mode?: number) => void): void {
  const folders: [path: string, setting: string, mode?: number][] = [
    [paths.data, '--data or [server].APP_DATA_PATH', 0o700],
    [paths.repositories, '[repository].ROOT'],
  ]
  if (database.kind === 'sqlite3') folders.push([dirname(paths.database), '[database].PATH'])
  for (const storageSettings of Object.values(storage)) {
    if (storageSettings.type === 'local') folders.push([storageSettings.path, '[storage].PATH'])
  }
  for (const [path, setting, mode] of folders) {
    try {
      work(path, mode)
    } catch (error) {
      throw new CommandFailure(`the folder ${path} cannot be made: ${reasonOf(error)}; name another with ${setting}`, {
        cause: error,
      })
    }
  }
}

const folderReasons = wordTable<string>({
  EEXIST: 'a file of this name exists',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'the parent folder does not exist or takes no new folders',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
})

const reasonOf = (error: unknown): string => folderReasons[codeOf(error)] ?? messageOf(error)

/**
 * Returns a failure to open or start an instance as one line with cause and next step, when an administrator can fix it.
 * Returns any other error unchanged.
 */
export function explainStart(error: unknown, config: Config): unknown {
  const explained = causeAndRemedy(error, config)
  if (explained !== undefined) return new CommandFailure(explained, { cause: error })
  // A plain Error carries a message for the administrator; errors of other classes are defects.
  const isExplained = Error.isError(error) && error.name === 'Error' && codeOf(error) === ''
  return isExplained ? new CommandFailure(error.message, { cause: error }) : error
}

function causeAndRemedy(error: unknown, { database, paths, server }: Config): string | undefined {
  const code = codeOf(error)
  if (error instanceof DatabaseUnreachable) {
    const where = `PostgreSQL at ${database.host}`
    const cause = codeOf(error.cause)
    if (cause === '28P01' || cause === '28000') {
      return `${where} rejects the user "${database.user}": ${error.message}; check [database].USER and PASSWD`
    }
    if (cause === '3D000') return `${where}: ${error.message}; create it, or name another with [database].NAME`
    return `${where} cannot be reached: ${error.message}; check that it runs, and check [database].HOST`
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return `${paths.database} is not a usable SQLite database: ${messageOf(error)}; restore it from a backup, or name another with [database].PATH`
  }
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY') || code === 'SQLITE_PERM') {
    return `${paths.database} cannot be opened: ${messageOf(error)}; give the user that runs the server write access to it and its folder`
  }
  if (code === 'SQLITE_FULL') return `${paths.database} cannot grow: the disk is full; free some space`
  if ((error as { readonly syscall?: unknown } | null)?.syscall === 'listen') {
    const { address, port } = error as { readonly address?: string; readonly port?: number }
    const at = port === undefined || port < 0 ? String(address) : `port ${port} of ${address}`
    const other = `choose another${portOption(port, server)}`
    if (code === 'EADDRINUSE') return `${at} is in use by another program; stop that program, or ${other}`
    if (code === 'EACCES') return `${at} needs more permissions than this user has; ${other}`
    if (code === 'EADDRNOTAVAIL') return `${at}: the machine does not have this address; choose another with --host`
  }
  if (code === 'ENOTFOUND' && (error as { readonly syscall?: unknown }).syscall === 'getaddrinfo') {
    return `${messageOf(error)}: the host name does not exist; check [server].HTTP_ADDR and the other addresses in the settings`
  }
  if (code in folderReasons) {
    const { path } = error as { readonly path?: string }
    return path === undefined ? undefined : `${path} cannot be used: ${reasonOf(error)}`
  }
  return undefined
}

function portOption(port: number | undefined, server: Config['server']): string {
  if (port === undefined) return ' with --host'
  if (port === server.httpPort) return ' with --port'
  return port === server.sshListenPort ? ' with --ssh-port' : ''
}
