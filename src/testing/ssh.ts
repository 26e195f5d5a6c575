import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transaction } from '../db/database.ts'
import type { KeyId, RepoId } from '../lib/ids.ts'
import type { Forge } from './forge.ts'
import { runProgram, type Ended } from './program.ts'
import { fingerprintOf } from '../secrets/ssh-public-key.ts'

/** Settings of a forge with SSH and a quickly generated host key. */
export const sshSettings = {
  server: {
    START_SSH_SERVER: true,
    SSH_LISTEN_HOST: '127.0.0.1',
    SSH_DOMAIN: '127.0.0.1',
    BUILTIN_SSH_SERVER_USER: 'git',
    SSH_SERVER_HOST_KEYS: 'ssh/ingot.ed25519',
  },
}

/** Folder of a test's keys and clones. */
export class SshFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'ingot-ssh-'))
  #count = 0

  constructor(readonly forge: Forge) {}

  /** Creates a key pair without an account. */
  async newKey(...type: string[]): Promise<SshKey> {
    const file = join(this.path, `key${++this.#count}`)
    const kind = type.length === 0 ? ['-t', 'ed25519'] : type
    const made = await runProgram('ssh-keygen', ['-q', ...kind, '-N', '', '-C', `key${this.#count}`, '-f', file])
    if (made.code !== 0) throw new Error(made.err)
    return new SshKey(this, file)
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A key, and an SSH client with only this key. */
export class SshKey {
  constructor(
    readonly folder: SshFolder,
    readonly file: string,
  ) {}

  get content(): string {
    return readFileSync(`${this.file}.pub`, 'utf8').trim()
  }

  get #clientOptions(): string[] {
    const options = [
      'IdentitiesOnly=yes',
      'StrictHostKeyChecking=accept-new',
      `UserKnownHostsFile=${join(this.folder.path, 'known_hosts')}`,
      'BatchMode=yes',
      'LogLevel=ERROR',
    ]
    return ['-F', '/dev/null', '-i', this.file, ...options.flatMap((option) => ['-o', option])]
  }

  /** Returns the SSH address of a repository. */
  url(fullName: string): string {
    return `ssh://git@127.0.0.1:${this.folder.forge.services.config.server.sshPort}/${fullName}.git`
  }

  git(...args: string[]): Promise<Ended> {
    return runProgram('git', args, {
      cwd: this.folder.path,
      env: { GIT_SSH_COMMAND: ['ssh', ...this.#clientOptions].join(' ') },
    })
  }

  ssh(command: readonly string[], options: { readonly user?: string; readonly input?: string } = {}): Promise<Ended> {
    const { sshPort } = this.folder.forge.services.config.server
    const destination = ['-T', '-p', String(sshPort), `${options.user ?? 'git'}@127.0.0.1`]
    return runProgram('ssh', [...this.#clientOptions, ...destination, ...command], { input: options.input ?? '' })
  }

  /** Opens a session and leaves it idle. */
  start(command: readonly string[]): { readonly firstOutput: Promise<unknown>; kill(): void } {
    const { sshPort } = this.folder.forge.services.config.server
    const destination = ['-T', '-p', String(sshPort), 'git@127.0.0.1', ...command]
    const child = spawn('ssh', [...this.#clientOptions, ...destination], { stdio: ['pipe', 'pipe', 'inherit'] })
    return { firstOutput: once(child.stdout, 'data'), kill: () => void child.kill('SIGKILL') }
  }

  /** Adds the key to an account. */
  async addTo(name: string): Promise<KeyId> {
    const { user } = await this.folder.forge.account(name)
    return this.#insert(user.id, `key of ${name}`)
  }

  /** Adds the key to a repository as a deploy key. */
  async deployTo(repoId: RepoId, isReadOnly: boolean): Promise<void> {
    const keyId = await this.#insert(null, 'deploys')
    await transaction(this.folder.forge.services.db, (tx) =>
      tx
        .insertInto('deploy_key')
        .values({ repo_id: repoId, key_id: keyId, title: 'deploys', is_read_only: isReadOnly, created_unix: 1 })
        .execute(),
    )
  }

  async #insert(ownerId: number | null, title: string): Promise<KeyId> {
    const [, encoded = ''] = this.content.split(' ')
    const row = await transaction(this.folder.forge.services.db, (tx) =>
      tx
        .insertInto('public_key')
        .values({
          owner_id: ownerId as never,
          title,
          fingerprint: fingerprintOf(Buffer.from(encoded, 'base64')),
          content: this.content,
          is_read_only: false,
          created_unix: 1,
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    return row.id
  }
}
