import { Invalid } from '../../lib/errors.ts'

/**
 * Returns a colour as six hexadecimal digits in lower case. Input has three or six digits, with or without `#`.
 * @throws Invalid for other input (contract, issues: labels)
 */
export function keptColor(color: string): string {
  const digits = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(color)?.[1]?.toLowerCase()
  if (digits === undefined) {
    throw new Invalid('[color]: is not a colour; write it as #rrggbb', 'color_invalid', { field: 'color' })
  }
  return digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')
}
