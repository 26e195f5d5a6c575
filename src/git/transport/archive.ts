import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Invalid } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { checkOids, type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { ArchiveFormat } from '../git.ts'
import { readCommit } from '../objects/object-reader.ts'

/** Archives a commit with all files below `prefix`. A bundle holds the commit as HEAD. */
export async function archive(
  context: GitContext,
  key: GitKey,
  options: {
    commit: Oid
    format: ArchiveFormat
    prefix: string
    signal?: AbortSignal
  },
): Promise<Readable> {
  checkOids(options.commit)
  await readCommit(context, key, options.commit)
  if (/[\0\n]/.test(options.prefix) || options.prefix.startsWith('/')) {
    throw new Invalid('an archive prefix must not begin with a slash or contain line feeds')
  }
  if (options.format === 'bundle') return bundleOf(context, key, options.commit, options.signal)
  const { directory } = locate(context, key)
  const { output } = await context.broker.stream({
    args: ['archive', `--format=${options.format}`, `--prefix=${options.prefix}`, options.commit],
    name: 'archive',
    cwd: directory,
    environment: { GIT_DIR: directory },
    kind: 'archive',
    idleMs: context.limits.transportIdleMs,
    signal: options.signal,
  })
  return output
}

/** A bundle needs a reference: a temporary repository with only a HEAD borrows the objects. */
async function bundleOf(
  context: GitContext,
  key: GitKey,
  commit: Oid,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const { directory } = locate(context, key)
  const temporary = await mkdtemp(join(directory, 'tmp_bundle-'))
  const cleanUp = (): Promise<void> => rm(temporary, { recursive: true, force: true })
  try {
    await mkdir(join(temporary, 'refs'))
    await mkdir(join(temporary, 'objects'))
    await writeFile(join(temporary, 'HEAD'), `${commit}\n`)
    const sha256 = commit.length === 64 ? '[extensions]\n\tobjectFormat = sha256\n' : ''
    await writeFile(
      join(temporary, 'config'),
      `[core]\n\trepositoryFormatVersion = ${sha256 === '' ? 0 : 1}\n\tbare = true\n${sha256}`,
    )
    const { output, finished } = await context.broker.stream({
      args: ['bundle', 'create', '--quiet', '-', 'HEAD'],
      name: 'bundle',
      cwd: temporary,
      kind: 'archive',
      environment: { GIT_DIR: temporary, GIT_OBJECT_DIRECTORY: join(directory, 'objects') },
      idleMs: context.limits.transportIdleMs,
      signal,
    })
    void finished.then(cleanUp, cleanUp)
    return output
  } catch (error) {
    await cleanUp()
    throw error
  }
}
