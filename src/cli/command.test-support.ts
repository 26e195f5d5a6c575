import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './command.ts'
import type { Terminal } from './terminal.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Recording extends Terminal {
  readonly written: { out: string; err: string }
  /** As if a signal had arrived. */
  stop(): void
  hangUp(): void
}

export function recordingTerminal(): Recording {
  const written = { out: '', err: '' }
  const output = Promise.withResolvers<string>()
  let exitCode = 0
  let hangUp: (() => void) | undefined
  return {
    written,
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    fail: (code) => void (exitCode = code),
    get exitCode() {
      return exitCode
    },
    stopSignal: () => output.promise,
    onHangUp: (work) => void (hangUp = work),
    // The process runs other tests.
    lowerPriority: () => undefined,
    hangUp: () => hangUp?.(),
    stop: () => output.resolve('SIGTERM'),
  }
}

export async function run(...args: string[]): Promise<Ran> {
  const terminal = recordingTerminal()
  const code = await runCommand(args, terminal)
  return { code, ...terminal.written }
}

/** Creates a data folder with settings for a quiet log. */
export function dataFolder(settings = ''): Disposable & { readonly path: string; readonly options: readonly string[] } {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ingot-cli-'))
  writeFileSync(join(path, 'app.ini'), `[log]\nLEVEL = none\n[cron]\nENABLED = false\n${settings}`)
  return {
    path,
    options: ['--data', path],
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}

export interface Serving extends AsyncDisposable {
  readonly url: string
  readonly terminal: Recording
  readonly ended: Promise<number>
}

export async function serve(options: readonly string[]): Promise<Serving> {
  const terminal = recordingTerminal()
  const args = ['serve', ...options, '--host', '127.0.0.1', '--port', '0', '--ssh-port', '0']
  const ended = runCommand(args, terminal)
  for (let tries = 0; tries < 1000 && !terminal.written.out.includes('serves'); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const url = /Ingot serves (\S+)\/\n/.exec(terminal.written.out)?.[1]
  assert.ok(url, terminal.written.err)
  return {
    url,
    terminal,
    ended,
    async [Symbol.asyncDispose]() {
      terminal.stop()
      assert.equal(await ended, 0)
    },
  }
}

/** Serves a new data folder once, as people do before other commands. */
export async function serveOnce(options: readonly string[]): Promise<void> {
  await using serving = await serve(options)
  assert.match(serving.terminal.written.out, /^Administrator: root\n/m)
}
