import { setImmediate } from 'node:timers/promises'
import type { RepoCtx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import { mode } from '../../access/rights.ts'
import type { Oid } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { branchRef } from '../../lib/refs.ts'

/** Loaded on demand, because the YAML parser adds time and memory to the start. */
export const loadParser = () => import('./template.parse.ts')

/** Limits on the number of templates and on their total size in bytes; further and larger ones are not used. */
const maxTemplates = 100
const maxBytes = 128 * 1024

export interface TemplateFile {
  readonly path: string
  readonly oid: Oid
}

/** A file that cannot be used as a template. */
export interface BrokenTemplate {
  readonly path: string
  readonly problem: string
}

/** A template with the version of its file. */
export type Versioned<Template> = Template & { readonly oid: Oid }

/** The templates of some files, in their order. */
export interface ReadTemplates<Template> {
  readonly templates: readonly Versioned<Template>[]
  readonly broken: readonly BrokenTemplate[]
}

/** Returns the head of the default branch; undefined when it does not exist or the viewer may not read code. */
export async function headOf(ctx: RepoCtx): Promise<Oid | undefined> {
  if (ctx.rights.modeOf('code') < mode.read) return undefined
  return ctx.git.readRef(ctx.repo.git_key, branchRef(ctx.repo.default_branch))
}

/** Returns the files directly inside the folders, in the order of the folders. */
export async function filesIn(ctx: RepoCtx, head: Oid, folders: readonly string[]): Promise<TemplateFile[]> {
  const key = ctx.repo.git_key
  const found = await ctx.git.findPaths(key, head, folders)
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const entry = found.get(folder)
      if (entry?.type !== 'tree') return []
      const entries = await ctx.git.readTree(key, entry.oid)
      return entries.filter(({ type }) => type === 'blob').map(({ name, oid }) => ({ path: `${folder}/${name}`, oid }))
    }),
  )
  return lists.flat()
}

/** Returns whether a file can be a template by the end of its name. */
export const isTemplateName = (path: string): boolean => /\.(?:md|ya?ml)$/.test(path)

/** Returns the text of a file; undefined for one that is larger than all templates may be. */
export async function textOf(ctx: RepoCtx, { oid }: TemplateFile): Promise<string | undefined> {
  const { content } = await ctx.git.readBlob(ctx.repo.git_key, oid, { maxBytes })
  return content?.toString('utf8').replace(/^\uFEFF/, '')
}

type Parsed<Template> = { readonly template: Template } | { readonly problem: string }

/**
 * Returns a function that reads and parses files as templates of one kind. Parsed ones are kept by path and blob: parsing takes
 * 1 to 2 µs for each byte.
 */
export function templateReader<Template extends object>(
  kind: string,
  parse: (parser: Awaited<ReturnType<typeof loadParser>>, path: string, text: string) => Template,
): (ctx: RepoCtx, files: readonly TemplateFile[]) => Promise<ReadTemplates<Template>> {
  const parsedTemplates = perApplication((caches) =>
    caches.open<string, { readonly parsed: Parsed<Template>; readonly sizeBytes: number }>(kind, {
      // Parsed fields take several times the size of their text.
      sizeOf: ({ sizeBytes }, key) => key.length + 6 * sizeBytes,
    }),
  )
  async function readTemplate(ctx: RepoCtx, file: TemplateFile): Promise<Parsed<Template>> {
    const known = parsedTemplates(ctx)
    const name = `${file.oid} ${file.path}`
    const kept = known.get(name)
    if (kept !== undefined) return kept.parsed
    const text = (await textOf(ctx, file)) ?? ''
    // Requests run between two templates.
    await setImmediate()
    const parsed = await parseText(file.path, text)
    known.set(name, { parsed, sizeBytes: text.length })
    return parsed
  }
  async function parseText(path: string, text: string): Promise<Parsed<Template>> {
    const parser = await loadParser()
    try {
      return { template: parse(parser, path, text) }
    } catch (error) {
      if (error instanceof parser.TemplateProblem) return { problem: error.message }
      throw error
    }
  }
  return async (ctx, files) => {
    const sizes = await ctx.git.blobSizes(ctx.repo.git_key, pluck(files.slice(0, maxTemplates), 'oid'))
    const templates: Versioned<Template>[] = []
    const broken: BrokenTemplate[] = []
    let left = maxBytes
    for (const [index, file] of files.entries()) {
      const size = sizes.get(file.oid) ?? Infinity
      const read: Parsed<Template> =
        index >= maxTemplates
          ? { problem: `a repository has at most ${maxTemplates} templates` }
          : size > left
            ? { problem: `all templates together have at most ${maxBytes >> 10} KiB` }
            : await readTemplate(ctx, file)
      if (index < maxTemplates && size <= left) left -= size
      if ('problem' in read) broken.push({ path: file.path, problem: read.problem })
      else templates.push({ ...read.template, oid: file.oid })
    }
    return { templates, broken }
  }
}

/** A template to use, and what is wrong with its file. */
export interface NamedTemplate<Template> {
  readonly template: Versioned<Template> | undefined
  readonly broken: BrokenTemplate | undefined
}

/** Returns the template that an address or a form names, by its path or the name of its file. */
export function templateNamed<Template extends { readonly path: string }>(
  { templates, broken }: ReadTemplates<Template>,
  named: string,
): NamedTemplate<Template> {
  const paths = [...templates, ...broken].map(({ path }) => path)
  const path = paths.find((each) => each === named) ?? paths.find((each) => each.endsWith(`/${named}`))
  return {
    template: templates.find((each) => each.path === path),
    broken: broken.find((each) => each.path === path),
  }
}
