import { type Static, type TObject } from 'typebox'
import { Invalid } from '../../../lib/errors.ts'
import { labelTexts as texts } from '../../languages/texts.ts'
import { text, tick } from '../../ui/fields.ts'

/** The fields of the form of a label, for `act`. */
export const labelFields = {
  name: text,
  description: text,
  color: text,
  exclusive: tick,
  archived: tick,
} as const

/** Returns what a form says of a label. */
export function labelInputOf(body: Static<TObject<typeof labelFields>>) {
  const name = body.name?.trim() ?? ''
  if (name === '') throw new Invalid(texts.emptyName, 'label_nameless', { field: 'name' })
  return {
    name,
    description: body.description?.trim() ?? '',
    color: body.color ?? '#888888',
    isExclusive: body.exclusive ?? false,
    isArchived: body.archived ?? false,
  }
}
