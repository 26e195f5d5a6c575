import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Invalid } from '../../lib/errors.ts'
import type { GitContext } from '../context.ts'
import { type GitKey, repositoryPath } from '../git-key.ts'
import { customHookNames, type CustomHookName } from '../git-service.ts'

/** Largest script, in bytes. */
const maxScriptBytes = 256 * 1024

/** The shared hooks look for scripts in this folder (git-settings.ts). */
const scriptPath = (context: GitContext, key: GitKey, name: CustomHookName): string =>
  join(repositoryPath(context.root, key), 'custom_hooks', name)

/** The hook script of a repository; undefined when it has none. */
export async function readCustomHook(
  context: GitContext,
  key: GitKey,
  name: CustomHookName,
): Promise<string | undefined> {
  try {
    return await readFile(scriptPath(context, key, name), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Sets a hook script, or removes it (undefined). Throws `Invalid` when it is too large. */
export async function writeCustomHook(
  context: GitContext,
  key: GitKey,
  name: CustomHookName,
  content: string | undefined,
): Promise<void> {
  const path = scriptPath(context, key, name)
  if (content === undefined) return rm(path, { force: true })
  if (Buffer.byteLength(content) > maxScriptBytes) {
    throw new Invalid(`a script has at most ${maxScriptBytes} bytes`, 'hook_too_large')
  }
  await mkdir(join(path, '..'), { recursive: true })
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(temporary, content)
  await chmod(temporary, 0o700)
  await rename(temporary, path)
}

/** Copies the hook scripts of one repository to another. */
export async function copyCustomHooks(context: GitContext, from: GitKey, to: GitKey): Promise<void> {
  const scripts = await Promise.all(
    customHookNames.map(async (name) => ({ name, content: await readCustomHook(context, from, name) })),
  )
  await Promise.all(
    scripts.map(async ({ name, content }) => {
      if (content !== undefined) await writeCustomHook(context, to, name, content)
    }),
  )
}
