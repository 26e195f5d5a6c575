import { Invalid } from '../../lib/errors.ts'

/**
 * A colour as it is kept: six hexadecimal digits in lower case. Given with or without `#`, in three or six digits of any
 * letter case; anything else is `Invalid` (contract, issues: labels).
 */
export function keptColor(color: string): string {
  const digits = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(color)?.[1]?.toLowerCase()
  if (digits === undefined) {
    throw new Invalid('[color]: is not a colour; write it as #rrggbb', 'color_invalid', { field: 'color' })
  }
  return digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')
}
