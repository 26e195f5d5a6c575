import { readFile } from 'node:fs/promises'
import { builtFile } from '../lib/assets.ts'
import { Invalid } from '../lib/errors.ts'

type Templates = ReadonlyMap<string, string>

let loaded: Promise<Templates> | undefined

/** Loaded at first use: 150 KB that most runs never need. */
function templates(): Promise<Templates> {
  loaded ??= readTemplates().catch((error: unknown) => {
    loaded = undefined // A failed read is not remembered, so that a repaired installation recovers.
    throw error
  })
  return loaded
}

async function readTemplates(): Promise<Templates> {
  const parsed: unknown = JSON.parse(await readFile(builtFile('data/gitignore-templates.json'), 'utf8'))
  const found = new Map<string, string>()
  for (const [name, source] of Object.entries(parsed as Readonly<Record<string, unknown>>)) {
    if (typeof source === 'string') found.set(name, source)
  }
  return found
}

/** Returns the names of all ignore templates, sorted by code unit (`listGitignoresTemplates`). */
export async function listGitignoreNames(): Promise<readonly string[]> {
  return [...(await templates()).keys()].sort()
}

/** Returns the text of an ignore template by its exact name. */
export async function findGitignore(name: string): Promise<string | undefined> {
  return (await templates()).get(name)
}

/**
 * Returns the `.gitignore` of a new repository: the named templates in order, each below its own heading.
 * @param names comma-separated names as in `CreateRepoOption.gitignores`; surrounding spaces are ignored
 * @throws Invalid for an unknown name (contract: 422)
 */
export async function joinGitignores(names: string): Promise<string> {
  const known = await templates()
  const sections: string[] = []
  for (const name of names.split(',').map((part) => part.trim())) {
    if (name === '') continue
    const source = known.get(name)
    if (source === undefined) throw new Invalid(`gitignores: unknown template ${name}`, 'unknown_gitignore', { name })
    sections.push(`# ---> ${name}\n${source.trimEnd()}\n`)
  }
  return sections.join('\n')
}
