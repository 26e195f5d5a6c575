import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Clone } from '../testing/clone.ts'
import type { Forge } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'

/** Returns a clone of a wiki by its owner, also of one without pages. `origin` is the wiki. */
export async function wikiClone(forge: Forge, repo: GivenRepo): Promise<Clone> {
  const clone = await Clone.begin(repo.owner)
  await clone.must('remote', 'add', 'origin', await forge.gitUrl(repo.owner, `${repo.fullName}.wiki`))
  await clone.git('pull', '-q', 'origin', 'main')
  return clone
}

/** Commits files. The content `-> target` creates a symbolic link. */
export async function commitFiles(
  clone: Clone,
  files: Readonly<Record<string, string>>,
  message = 'pushed',
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(clone.path, path)), { recursive: true })
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), join(clone.path, path))
    else writeFileSync(join(clone.path, path), content)
  }
  await clone.must('add', '-A', '.')
  await clone.must('commit', '-q', '-m', message)
}

export const pushWiki = (clone: Clone, ...options: string[]): Promise<string> =>
  clone.must('push', '-q', ...options, 'origin', 'HEAD:main')

export async function pushFiles(forge: Forge, repo: GivenRepo, files: Readonly<Record<string, string>>): Promise<void> {
  using clone = await wikiClone(forge, repo)
  await commitFiles(clone, files)
  await pushWiki(clone)
}
