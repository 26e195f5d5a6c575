import { LRUCache } from 'lru-cache'
import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import type { ActionTaskRow } from '../../db/tables/actions.ts'
import type { TaskId } from '../../lib/ids.ts'
import { Masks, type MaskedLines } from '../../lib/masks.ts'

/** The purpose for which the secrets of a task are sealed. */
export const masksPurpose = 'action-masks'

/** Most secrets that a job may add with `::add-mask::`, and their longest line, in characters. */
const maxAdded = 200
const maxAddedLength = 64 * 1024

/** Masks of running tasks: building the masks of private keys takes milliseconds, and each report needs them. */
export const knownMasks = ownService('the masks of logs', {
  open: () => new LRUCache<TaskId, { readonly sealed: string; readonly masks: Masks }>({ max: 200 }),
})

/** Returns the column `masks` of a task whose log must not contain these secrets. */
export const sealMasks = ({ secrets }: Services, texts: readonly string[]): string =>
  secrets.seal(masksPurpose, JSON.stringify([...new Set(texts)]))

/** Masked lines, and the change of the task's row. */
export interface MaskedLog extends MaskedLines {
  /** Masks another text, such as the decoded one of a command. */
  readonly mask: (text: string) => string
  readonly change: { readonly masks?: string }
}

/** Masks the secrets of a task in consecutive lines. A secret that a line adds (`::add-mask::`) is masked from then on. */
export function maskLines(
  services: Services,
  task: Pick<ActionTaskRow, 'id' | 'masks'>,
  lines: readonly string[],
): MaskedLog {
  const added = lines.flatMap((line) => addedBy(line) ?? [])
  if (task.masks === '' && added.length === 0) return { lines, begun: 0, mask: (text) => text, change: {} }
  const known = knownMasks.of(services)
  const cached = known.get(task.id)
  const texts = (): string[] =>
    task.masks === '' ? [] : (JSON.parse(services.secrets.open(masksPurpose, task.masks)) as string[])
  let sealed = task.masks
  let masks = cached?.sealed === sealed ? cached.masks : new Masks(texts())
  if (added.length > 0) {
    const all = [...new Set([...texts(), ...added])].slice(0, texts().length + maxAdded)
    sealed = sealMasks(services, all)
    masks = new Masks(all)
  }
  known.set(task.id, { sealed, masks })
  const shown = lines.map((line) => (addedBy(line) === undefined ? line : '::add-mask::***'))
  const mask = (text: string): string => masks.apply(text)
  return { ...masks.applyToLines(shown), mask, change: sealed === task.masks ? {} : { masks: sealed } }
}

/** Masks the secrets of a task in texts that are not lines of its log. */
export function maskTexts(
  services: Services,
  task: Pick<ActionTaskRow, 'id' | 'masks'>,
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { mask } = maskLines(services, task, [])
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, mask(text)]))
}

const marker = '::add-mask::'

/** Returns the secret that a line adds. */
function addedBy(line: string): string | undefined {
  const text = line.trimStart()
  if (!text.startsWith(marker)) return undefined
  const value = text
    .slice(marker.length, maxAddedLength)
    .replaceAll(/%(25|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return value === '***' ? undefined : value
}
