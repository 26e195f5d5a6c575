import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runProgram, type Ended } from './program.ts'

/** A client that is written in Python, kept between runs of the tests. */
export interface PythonClient {
  /** Runs Python with the client's modules. */
  run(
    args: readonly string[],
    options?: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string; timeoutMs?: number },
  ): Promise<Ended>
  /** Runs commands of a shell in which Python has them too. */
  shell(options: { cwd?: string; env?: NodeJS.ProcessEnv; input: string }): Promise<Ended>
  /** The client's own command of a name. */
  command(name: string): string
}

/**
 * A client, installed by the name and version of its package when it is not there. Undefined where it cannot be
 * installed, but in CI, where it must be: who tests with it skips then.
 */
export async function pythonClient(...packages: readonly string[]): Promise<PythonClient | undefined> {
  const kept = join(homedir(), '.cache', 'ingot-test-clients')
  const folder = join(kept, packages.join('+').replaceAll(/[^\w.+-]/g, '_'))
  if (!existsSync(folder)) {
    mkdirSync(kept, { recursive: true })
    const fresh = mkdtempSync(join(kept, 'new-'))
    const args = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', fresh, ...packages]
    const ended = await runProgram('python3', args)
    try {
      if (ended.code !== 0) throw new Error(`pip install ${packages.join(' ')}: ${ended.err}`)
      // Another run of the tests may have been faster.
      if (!existsSync(folder)) renameSync(fresh, folder)
    } catch (error) {
      if (process.env['CI'] !== undefined) throw error
      return undefined
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  }
  return {
    run: (args, options = {}) =>
      runProgram('python3', args, { ...options, env: { ...options.env, PYTHONPATH: folder } }),
    shell: (options) => runProgram('bash', [], { ...options, env: { ...options.env, PYTHONPATH: folder } }),
    command: (name) => join(folder, 'bin', name),
  }
}
