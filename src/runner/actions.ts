import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { isPlainMap, plainText, readYaml, type Plain } from '../actions/workflows/plain-yaml.ts'
import { fetchCommit, type Git } from './checkout.ts'

/** What an action is run by. */
export interface Action {
  /** The folder that it lies in. */
  readonly folder: string
  readonly inputs: Readonly<Record<string, Plain>>
  /** What a composite one gives, by expressions. */
  readonly outputs: Readonly<Record<string, string>>
  readonly runs:
    | {
        readonly using: 'node'
        readonly pre?: string
        readonly preIf?: string
        readonly main: string
        readonly post?: string
        readonly postIf?: string
      }
    | { readonly using: 'composite'; readonly steps: readonly Plain[] }
}

/** Something that this runner does not do; the step has failed. */
export class Unsupported extends Error {}

/** Where an action lies: in the workspace, or in a repository of the forge. */
export type ActionPlace =
  | { readonly at: 'workspace'; readonly path: string }
  | { readonly at: 'repository'; readonly repository: string; readonly path: string; readonly ref: string }

/**
 * Reads what `uses` says. Containers, and repositories of other servers, are refused (`Unsupported`): nothing is fetched
 * from anywhere but the forge.
 */
export function placeOf(uses: string, serverUrl: string): ActionPlace {
  if (uses.startsWith('docker://')) throw new Unsupported('this runner has no containers, which `docker://` needs')
  if (uses.startsWith('./') || uses === '.') return { at: 'workspace', path: uses }
  const server = serverUrl.replace(/\/?$/, '/')
  const isAddress = /^https?:\/\//.test(uses)
  if (isAddress && !uses.startsWith(server)) {
    throw new Unsupported(`actions come from ${server} only, and ${uses} is elsewhere`)
  }
  const [, owner, name, path = '', ref] =
    /^([\w.-]+)\/([\w.-]+)(\/[^@]*)?@(.+)$/.exec(isAddress ? uses.slice(server.length) : uses) ?? []
  if (owner === undefined || name === undefined || ref === undefined) {
    throw new Unsupported(`${uses} names no action: it is \`owner/repository@ref\` or a path that begins with \`./\``)
  }
  return { at: 'repository', repository: `${owner}/${name.replace(/\.git$/, '')}`, path: path.slice(1), ref }
}

/** Fetches the repository of an action, once for each job and ref. @returns the folder of the action */
export async function fetchAction(
  git: Git,
  folder: string,
  place: ActionPlace & { readonly at: 'repository' },
): Promise<string> {
  const target = join(folder, encodeURIComponent(place.repository), encodeURIComponent(place.ref))
  if ((await readFile(join(target, '.git', 'HEAD')).catch(() => undefined)) === undefined) {
    await mkdir(target, { recursive: true })
    await fetchCommit(git, target, { repository: place.repository, wanted: [place.ref], depth: 1 })
  }
  return inside(target, place.path)
}

/** A path below a folder, however it is written. */
export function inside(folder: string, path: string): string {
  const whole = resolve(folder, path)
  if (whole !== resolve(folder) && !whole.startsWith(resolve(folder) + sep)) {
    throw new Unsupported(`${path} is not below its folder`)
  }
  return whole
}

/** Reads the description of an action (`action.yml`). */
export async function readAction(folder: string): Promise<Action> {
  const text =
    (await readFile(join(folder, 'action.yml'), 'utf8').catch(() => undefined)) ??
    (await readFile(join(folder, 'action.yaml'), 'utf8').catch(() => undefined))
  if (text === undefined) throw new Unsupported(`there is no action.yml in ${folder}`)
  const read = readYaml(text)
  if (!read.ok) throw new Unsupported(`the action cannot be read: ${read.problem}`)
  const file = isPlainMap(read.value) ? read.value : {}
  const runs = isPlainMap(file['runs']) ? file['runs'] : {}
  const using = plainText(runs['using']) ?? ''
  const own = { folder, inputs: fallbacksOf(file['inputs']), outputs: valuesOf(file['outputs']) }
  if (using === 'composite') {
    return { ...own, runs: { using, steps: Array.isArray(runs['steps']) ? (runs['steps'] as readonly Plain[]) : [] } }
  }
  const main = plainText(runs['main'])
  if (!/^node\d+$/.test(using) || main === undefined) {
    throw new Unsupported(`this runner has no containers, and the action is run by ${using || 'nothing that it says'}`)
  }
  const texts = Object.entries({ pre: runs['pre'], preIf: runs['pre-if'], post: runs['post'], postIf: runs['post-if'] })
  const more = Object.fromEntries(
    texts.flatMap(([name, value]) => {
      const text = plainText(value)
      return text === undefined ? [] : [[name, text] as const]
    }),
  )
  return { ...own, runs: { using: 'node', main, ...more } }
}

const fallbacksOf = (inputs: Plain | undefined): Readonly<Record<string, Plain>> =>
  Object.fromEntries(
    Object.entries(isPlainMap(inputs) ? inputs : {}).map(([name, input]) => [
      name,
      isPlainMap(input) ? (input['default'] ?? '') : '',
    ]),
  )

const valuesOf = (outputs: Plain | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isPlainMap(outputs) ? outputs : {}).map(([name, output]) => [
      name,
      (isPlainMap(output) ? plainText(output['value']) : undefined) ?? '',
    ]),
  )
