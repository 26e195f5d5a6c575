import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Forge } from './forge.ts'
import { runProgram, type Ended } from './program.ts'

/** Git settings that do not depend on the machine. */
const environmentOf = (name: string): NodeJS.ProcessEnv => ({
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: `${name}@example.com`,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: `${name}@example.com`,
  // Each commit and fetch would start two more processes that find nothing to do.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
})

/** A folder for git as one account. */
export class Clone implements Disposable {
  /** The folder that contains the working tree. */
  readonly folder = mkdtempSync(join(tmpdir(), 'ingot-clone-'))
  readonly path = join(this.folder, 'work')
  readonly #env: NodeJS.ProcessEnv

  private constructor(name: string) {
    this.#env = environmentOf(name)
  }

  /** Clones a repository, `owner/name`, with an account's credentials in its address. */
  static async of(forge: Forge, name: string, repository: string): Promise<Clone> {
    const clone = new Clone(name)
    const made = await clone.#run('clone', '-q', await forge.gitUrl(name, repository), clone.path)
    assert.equal(made.code, 0, made.err)
    return clone
  }

  /** Creates an empty local repository. */
  static async begin(name: string, branch = 'main'): Promise<Clone> {
    const clone = new Clone(name)
    const made = await clone.#run('init', '-q', '-b', branch, clone.path)
    assert.equal(made.code, 0, made.err)
    return clone
  }

  #run(...args: string[]): Promise<Ended> {
    return runProgram('git', args, { env: this.#env })
  }

  git(...args: string[]): Promise<Ended> {
    return this.#run('-C', this.path, ...args)
  }

  /** Like `git`, but returns the output and fails on a non-zero exit. */
  async must(...args: string[]): Promise<string> {
    const ended = await this.git(...args)
    assert.equal(ended.code, 0, `git ${args.join(' ')}: ${ended.err}`)
    return ended.out.trim()
  }

  /** Commits one file and returns the commit. */
  async commit(file: string, content: string | Buffer = `${file}\n`, message = `adds ${file}`): Promise<string> {
    writeFileSync(join(this.path, file), content)
    await this.must('add', '-A')
    await this.must('commit', '-q', '-m', message)
    return this.#head()
  }

  /** The commit of `HEAD`, whose reference is a file when a commit was just made. */
  #head(): string {
    const read = (name: string): string => readFileSync(join(this.path, '.git', name), 'utf8').trim()
    const head = read('HEAD')
    return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Returns a pkt-line of git's protocols. */
export const packetLine = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
