import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lastingPort } from '../../testing/lasting-port.ts'
import { until } from '../../testing/until.ts'

const isRoot = process.getuid?.() === 0

/** Where Debian puts it; folders of administrators are not in everybody's path. */
const program = ['/usr/sbin/dovecot', '/usr/local/sbin/dovecot'].find((path) => existsSync(path))

/**
 * Why there is no Dovecot to test with, for a test that is passed over then; undefined when there is. `.ci/run` installs it,
 * or fails.
 */
export async function whyNoDovecot(): Promise<string | undefined> {
  const version = program === undefined ? '' : (await promisify(execFile)(program, ['--version'])).stdout
  if (version.startsWith('2.3.')) return undefined
  return `Dovecot 2.3 is needed (Debian: apt-get install dovecot-imapd)${version === '' ? '' : `, not ${version}`}`
}

/** A mailbox of a real IMAP server on this machine, thrown away afterwards. */
export class Mailbox implements AsyncDisposable {
  readonly #port: number
  readonly #folder: string
  #server: ChildProcess | undefined
  #delivered = 0

  private constructor(port: number, folder: string) {
    this.#port = port
    this.#folder = folder
  }

  static readonly user = 'answers'
  static readonly password = 'of-the-mailbox'

  static async start(): Promise<Mailbox> {
    // The temporary folder of a run of root's tests is closed to others.
    const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'ingot-dovecot-'))
    chmodSync(folder, 0o755)
    // Mail belongs to nobody, since Dovecot lets no administrator sign in.
    const owner = isRoot ? { uid: 65_534, gid: 65_534 } : { uid: userInfo().uid, gid: userInfo().gid }
    for (const path of ['', 'new', 'cur', 'tmp']) {
      mkdirSync(join(folder, 'mail', path), { recursive: true })
      chownSync(join(folder, 'mail', path), owner.uid, owner.gid)
    }
    const port = await lastingPort()
    writeFileSync(join(folder, 'dovecot.conf'), configuration(folder, port, owner))
    const mailbox = new Mailbox(port, folder)
    await mailbox.serve()
    return mailbox
  }

  /** Starts its server, which answers from then on. */
  async serve(): Promise<void> {
    const config = join(this.#folder, 'dovecot.conf')
    this.#server = spawn(program as string, ['-F', '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] })
    try {
      await until(() => accepts(this.#port), 'Dovecot listens')
    } catch (error) {
      const log = readFileSync(join(this.#folder, 'log'), 'utf8')
      await this[Symbol.asyncDispose]()
      throw new Error(`Dovecot did not start: ${log}`, { cause: error })
    }
  }

  /** Ends its server; mails stay, and come in. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server || server.exitCode !== null) return
    server.kill('SIGTERM')
    await once(server, 'exit')
  }

  /** Settings of a forge that reads it. */
  get settings(): Readonly<Record<string, string | number | boolean>> {
    return {
      ENABLED: true,
      HOST: '127.0.0.1',
      PORT: this.#port,
      USERNAME: Mailbox.user,
      PASSWORD: Mailbox.password,
      REPLY_TO_ADDRESS: 'answers+%{token}@forge.example',
    }
  }

  /** Puts a mail into the mailbox, as a mail server would. */
  deliver(source: string): void {
    this.#delivered += 1
    // The server gives numbers by the times in the names.
    const name = `${1_700_000_000 + this.#delivered}.M${this.#delivered}.test`
    const path = join(this.#folder, 'mail', 'tmp', name)
    writeFileSync(path, source.replaceAll(/\r?\n/g, '\r\n'), { mode: 0o666 })
    chmodSync(path, 0o666)
    renameSync(path, join(this.#folder, 'mail', 'new', name))
  }

  /** What is in the mailbox: how many mails, and how many of them were read. */
  get content(): { readonly mails: number; readonly read: number } {
    const names = ['new', 'cur'].flatMap((path) => readdirSync(join(this.#folder, 'mail', path)))
    return { mails: names.length, read: names.filter((name) => /:2,[A-Z]*S/.test(name)).length }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const configuration = (
  folder: string,
  port: number,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): string => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail
first_valid_uid = 1
first_valid_gid = 1
mail_max_userip_connections = 100
${isRoot ? '' : `default_internal_user = ${userInfo().username}\ndefault_login_user = ${userInfo().username}`}
passdb {
  driver = static
  args = password=${Mailbox.password}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
