import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { builtFile } from '../lib/assets.ts'
import { ForgeClient } from './client.ts'
import type { TestDatabase } from './database.ts'
import { storageEnvironment } from './forge.ts'

/** The password of `root`, the administrator of a program that `startProgram` starts. */
export const rootPassword = 'the password of a started program'

/** The built program, serving as a process of its own, which a test may kill. */
export interface ServingProgram {
  readonly pid: number
  readonly url: string
  /** Sends requests as `root`. */
  readonly root: ForgeClient
  readonly ended: Promise<unknown>
  /** Kills the process and waits for its end. */
  kill(): Promise<void>
}

/** Returns a client of a program that sends requests as `root`. */
export const clientOfRoot = (url: string): ForgeClient =>
  new ForgeClient(url, async () => ({ basic: { login: 'root', password: rootPassword } }))

/** Starts the program in a data folder, whose `app.ini` it reads, and waits until it serves. */
export async function startProgram(
  folder: string,
  { port = '0', env = {} }: { readonly port?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ServingProgram> {
  const args = ['serve', '--data', folder, '--host', '127.0.0.1', '--port', port, '--ssh-port', '0']
  const child = spawn(process.execPath, [builtFile('ingot.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...storageEnvironment(folder),
      INGOT_ADMIN_LOGIN: 'root',
      INGOT_ADMIN_PASSWORD: rootPassword,
      INGOT_ADMIN_EMAIL: 'root@example.com',
      ...env,
    },
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      const found = /Ingot serves (\S+)\/\n/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(`the program did not start: ${output}`)))
  })
  return {
    pid: child.pid as number,
    url,
    root: clientOfRoot(url),
    ended: endOf(child),
    async kill() {
      child.kill('SIGKILL')
      await endOf(child)
    },
  }
}

const endOf = async (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit')

/** Returns the settings of a test's database: PostgreSQL, or empty for an SQLite file in the data folder. */
export function databaseSettings({ options }: TestDatabase): string {
  if (options.kind === 'sqlite') return ''
  const { hostname, port, username, password, pathname } = new URL(options.url)
  return `[database]
DB_TYPE = postgres
SSL_MODE = disable
MAX_OPEN_CONNS = 10
HOST = ${hostname}:${port || 5432}
USER = ${decodeURIComponent(username)}
PASSWD = \`${decodeURIComponent(password)}\`
NAME = ${decodeURIComponent(pathname.slice(1))}
`
}
