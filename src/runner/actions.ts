import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { isPlainMap, plainText, readYaml, type Plain } from '../actions/workflows/plain-yaml.ts'
import { fetchCommit, type Git } from './checkout.ts'

/** The description of an action. */
export interface Action {
  /** The folder of the action. */
  readonly folder: string
  /** The defaults of the inputs. */
  readonly inputs: Readonly<Record<string, Plain>>
  /** The expressions of a composite action's outputs. */
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

/** A feature that this runner does not support. It fails the step. */
export class Unsupported extends Error {}

/** The location of an action: the workspace, or a repository of the forge. */
export type ActionLocation =
  | { readonly at: 'workspace'; readonly path: string }
  | { readonly at: 'repository'; readonly repository: string; readonly path: string; readonly ref: string }

/**
 * Parses `uses` of a step. Throws `Unsupported` for containers and for repositories of other servers: the runner fetches
 * only from its forge.
 */
export function parseUses(uses: string, serverUrl: string): ActionLocation {
  if (uses.startsWith('docker://')) throw new Unsupported('this runner has no containers, which `docker://` needs')
  if (uses.startsWith('./') || uses === '.') return { at: 'workspace', path: uses }
  const server = serverUrl.replace(/\/?$/, '/')
  const isAddress = /^https?:\/\//.test(uses)
  if (isAddress && !uses.startsWith(server)) {
    throw new Unsupported(`\`uses: ${uses}\`: this runner fetches actions only from ${server}`)
  }
  const [, owner, name, path = '', ref] =
    /^([\w.-]+)\/([\w.-]+)(\/[^@]*)?@(.+)$/.exec(isAddress ? uses.slice(server.length) : uses) ?? []
  if (owner === undefined || name === undefined || ref === undefined) {
    throw new Unsupported(`\`uses: ${uses}\` is not an action; write \`owner/repository@ref\` or \`./path\``)
  }
  return { at: 'repository', repository: `${owner}/${name.replace(/\.git$/, '')}`, path: path.slice(1), ref }
}

/** Fetches the repository of an action once for each job and ref. Returns the folder of the action. */
export async function fetchAction(
  git: Git,
  folder: string,
  location: ActionLocation & { readonly at: 'repository' },
): Promise<string> {
  const target = join(folder, encodeURIComponent(location.repository), encodeURIComponent(location.ref))
  if ((await readFile(join(target, '.git', 'HEAD')).catch(() => undefined)) === undefined) {
    await mkdir(target, { recursive: true })
    await fetchCommit(git, target, { repository: location.repository, wanted: [location.ref], depth: 1 })
  }
  return inside(target, location.path)
}

/** Resolves a path below a folder. Throws `Unsupported` for a path outside of it. */
export function inside(folder: string, path: string): string {
  const whole = resolve(folder, path)
  if (whole !== resolve(folder) && !whole.startsWith(resolve(folder) + sep)) {
    throw new Unsupported(`the path "${path}" leads outside of its folder`)
  }
  return whole
}

/** Reads `action.yml` or `action.yaml` of an action. */
export async function readAction(folder: string): Promise<Action> {
  const text =
    (await readFile(join(folder, 'action.yml'), 'utf8').catch(() => undefined)) ??
    (await readFile(join(folder, 'action.yaml'), 'utf8').catch(() => undefined))
  if (text === undefined) throw new Unsupported(`the action has no action.yml in ${folder}`)
  const read = readYaml(text)
  if (!read.ok) throw new Unsupported(`action.yml of the action: ${read.problem}`)
  const file = isPlainMap(read.value) ? read.value : {}
  const runs = isPlainMap(file['runs']) ? file['runs'] : {}
  const using = plainText(runs['using']) ?? ''
  const own = { folder, inputs: fallbacksOf(file['inputs']), outputs: valuesOf(file['outputs']) }
  if (using === 'composite') {
    return { ...own, runs: { using, steps: Array.isArray(runs['steps']) ? (runs['steps'] as readonly Plain[]) : [] } }
  }
  const main = plainText(runs['main'])
  if (!/^node\d+$/.test(using) || main === undefined) {
    throw new Unsupported(`this runner does not support actions with \`runs.using: ${using}\``)
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
