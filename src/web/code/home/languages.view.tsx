import { percentText } from '../../languages/amounts.ts'
import { codeTexts as texts } from '../../languages/texts.ts'

export interface LanguageShare {
  readonly name: string
  readonly sizeBytes: number
  /** `#rrggbb`; undefined for a language without a colour. */
  readonly color: string | undefined
}

/** Languages that have an entry of their own; the others are added up. */
const shownLanguages = 6

/** Returns a share of 100 as people read it. */
const shareText = (part: number): string => (part < 0.1 ? `< ${percentText(0.001)}` : percentText(part / 100))

/** The shares of languages as a bar with a legend. */
export const LanguagesBar = ({ languages }: { readonly languages: readonly LanguageShare[] }) => {
  const total = languages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) || 1
  const shown = languages.slice(0, shownLanguages)
  const others = languages.slice(shownLanguages).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const all = others === 0 ? shown : [...shown, { name: texts.otherLanguages, sizeBytes: others, color: undefined }]
  let offset = 0
  const parts = all.map((language) => {
    const width = (language.sizeBytes / total) * 100
    const part = { ...language, width, x: offset }
    offset += width
    return part
  })
  return (
    <>
      <svg class="languages-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ x, width, color }) => (
          <rect x={x} y={0} width={width} height={1} fill={color ?? 'currentColor'} />
        ))}
      </svg>
      <ul class="languages">
        {parts.map(({ name, color, width }) => (
          <li>
            <svg class="language-dot" viewBox="0 0 8 8" aria-hidden="true">
              <circle cx={4} cy={4} r={4} fill={color ?? 'currentColor'} />
            </svg>
            <span class="language-name">{name}</span> <span class="muted">{shareText(width)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
