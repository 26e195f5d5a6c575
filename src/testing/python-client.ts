import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runProgram, type Ended } from './program.ts'

/** A Python client, cached between runs. */
export interface PythonClient {
  /** Runs Python with the client's modules. */
  run(
    args: readonly string[],
    options?: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string; timeoutMs?: number },
  ): Promise<Ended>
  /** Runs shell commands with that Python. */
  shell(options: { cwd?: string; env?: NodeJS.ProcessEnv; input: string }): Promise<Ended>
  /** Returns the path of a command of the client. */
  command(name: string): string
}

/**
 * Installs a client by package name and version when it is missing. Returns undefined when that is impossible, except
 * in CI, where it is an error.
 */
export async function pythonClient(...packages: readonly string[]): Promise<PythonClient | undefined> {
  const kept = join(homedir(), '.cache', 'ingot-test-clients')
  const folder = join(kept, packages.join('+').replaceAll(/[^\w.+-]/g, '_'))
  if (!existsSync(folder)) {
    mkdirSync(kept, { recursive: true })
    const fresh = mkdtempSync(join(kept, 'new-'))
    // Python compiles a module when it is first imported, and clients import half of theirs.
    const options = ['-q', '--disable-pip-version-check', '--no-compile', '--target', fresh]
    const args = ['-m', 'pip', 'install', ...options, ...packages]
    const ended = await runProgram('python3', args)
    try {
      if (ended.code !== 0) throw new Error(`pip install ${packages.join(' ')}: ${ended.err}`)
      // Another run may have installed it at the same time.
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
