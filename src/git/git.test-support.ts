import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { builtFile } from '../lib/assets.ts'
import type { Oid } from '../lib/ids.ts'
import { type GitKey, newGitKey } from './git-key.ts'
import type { Git, Identity, TreeChange } from './git.ts'
import type { GitOptions } from './git-options.ts'
import type { ReceiveCallbacks } from './git-service.ts'
import { zeroOid } from '../lib/refs.ts'
import { startGit } from './start-git.ts'

export type TestGit = {
  readonly git: Git
  readonly root: string
  readonly brokerFile: string
  /** Makes a folder for the test. */
  folder(name: string): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts the git layer over an empty folder. */
export async function startTestGit(options: Partial<GitOptions> = {}): Promise<TestGit> {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-git-'))
  const built = builtFile('git-broker.js')
  const brokerFile = existsSync(built) ? built : fileURLToPath(new URL('broker/main.ts', import.meta.url))
  const root = join(folder, 'repositories')
  const git = await startGit({ repositoriesRoot: root, durable: false, brokerFile, ...options })
  return {
    git,
    root,
    brokerFile,
    folder: (name) => mkdtemp(join(folder, `${name}-`)),
    async [Symbol.asyncDispose]() {
      await git.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Starts the git layer with a git that writes down its commands. `commands` returns those so far that contain a word. */
export async function startLoggedGit(): Promise<TestGit & { commands(word: string): Promise<string[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-bin-'))
  const [gitBinary, log] = [join(folder, 'git'), join(folder, 'log')]
  await writeFile(gitBinary, `#!/bin/sh\necho "$@" >> '${log}'\nexec git "$@"\n`, { mode: 0o755 })
  const test = await startTestGit({ gitBinary })
  return {
    ...test,
    commands: async (word) => (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes(word)),
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

export const someone: Identity = {
  name: 'Ada',
  email: 'ada@example.com',
  unixSeconds: 1_700_000_000,
  offsetMinutes: 120,
}

/** Turns `{ 'a.txt': 'text', 'old.txt': null }` into changes. */
export const filesOf = (files: Readonly<Record<string, string | null>>): TreeChange[] =>
  Object.entries(files).map(([path, text]) =>
    text === null ? { op: 'delete', path } : { op: 'write', path, content: Buffer.from(text) },
  )

/** Commits changes on top of a branch and moves it. Each commit is a minute after its parent. */
export async function commitOn(
  git: Git,
  key: GitKey,
  branch: string,
  files: Readonly<Record<string, string | null>>,
  options: {
    message?: string
    parents?: readonly Oid[]
    minute?: number
  } = {},
): Promise<Oid> {
  const old = await git.readRef(key, `refs/heads/${branch}`)
  const parents = options.parents ?? (old === undefined ? [] : [old])
  const minute = options.minute ?? (parents.length === 0 ? 0 : await git.countCommits(key, { from: parents }))
  const when = { ...someone, unixSeconds: someone.unixSeconds + 60 * minute }
  const { oid } = await git.writeCommit(key, {
    parents,
    tree: { base: parents[0], changes: filesOf(files) },
    author: when,
    committer: when,
    message: options.message ?? `change ${Object.keys(files).join(' ')}`,
  })
  const result = await git.updateRefs(key, [{ ref: `refs/heads/${branch}`, old: old ?? zeroOid(), new: oid }])
  if (!result.ok) throw new Error(result.message)
  return oid
}

/** Makes a repository with one commit on `main`. */
export async function newRepository(
  git: Git,
  files: Readonly<Record<string, string>> = { 'README.md': '# hello\n' },
): Promise<GitKey> {
  const key = newGitKey()
  await git.create(key)
  await commitOn(git, key, 'main', files, { message: 'first\n' })
  return key
}

const run = promisify(execFile)

/** Runs the real git as a client and returns its output; does not throw. */
export async function client(
  cwd: string,
  ...args: string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Cli',
    GIT_AUTHOR_EMAIL: 'cli@example.com',
    GIT_COMMITTER_NAME: 'Cli',
    GIT_COMMITTER_EMAIL: 'cli@example.com',
  }
  try {
    const { stdout, stderr } = await run(
      'git',
      ['-c', 'protocol.file.allow=always', '-c', 'maintenance.auto=false', ...args],
      {
        cwd,
        env: environment,
        maxBuffer: 64 << 20,
      },
    )
    return { exitCode: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { exitCode: code, stdout, stderr }
  }
}

export type TestServer = { url(key: GitKey): string; [Symbol.asyncDispose](): Promise<void> }

/** Moves the references of a push in the repository itself, each for itself. */
export const movingIn =
  (git: Git, key: GitKey): ReceiveCallbacks['moveRefs'] =>
  async ({ updates }) => {
    const results = await Promise.all(
      updates.map(async (update) => ({ ref: update.ref, result: await git.updateRefs(key, [update]) })),
    )
    return results.flatMap(({ ref, result }) => (result.ok ? [] : [{ ref, reason: result.message }]))
  }

/** Serves the git layer over smart HTTP, without accounts. */
export async function serveGit(git: Git, callbacks: Partial<ReceiveCallbacks> = {}): Promise<TestServer> {
  const callbacksFor = (key: GitKey): ReceiveCallbacks => ({
    checkPush: async () => ({ ok: true }),
    moveRefs: movingIn(git, key),
    ...callbacks,
  })
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'http://localhost')
    const [, key, ...rest] = url.pathname.split('/')
    const advertise = rest.join('/') === 'info/refs'
    const name = advertise ? url.searchParams.get('service')! : rest[0]!
    const gone = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
    const common = {
      protocol: request.headers['git-protocol'] as string | undefined,
      stateless: true,
      advertise,
      body: advertise ? undefined : body,
      signal: gone.signal,
    }
    const { output } =
      name === 'git-upload-pack'
        ? await git.uploadPack(key as GitKey, common)
        : await git.receivePack(key as GitKey, { ...common, callbacks: callbacksFor(key as GitKey) })
    response.setHeader('content-type', `application/x-${name}-${advertise ? 'advertisement' : 'result'}`)
    if (advertise) {
      const line = `# service=${name}\n`
      response.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`)
    }
    output.pipe(response)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else response.writeHead((error as { status?: number }).status ?? 500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: (key) => `http://127.0.0.1:${port}/${key}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}
