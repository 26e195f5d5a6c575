import { dateText } from '../ui/time.tsx'
import type { HeatDay } from './heatmap.rules.ts'
import { perLanguage } from '../languages/reader.ts'
import { profileTexts as texts } from '../languages/texts.ts'

const step = 13
const top = 16
const secondsPerDay = 86_400
const months = perLanguage((language) => new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' }))

const monthOf = ({ day }: HeatDay): string => months().format(day * secondsPerDay * 1000)

/** Most days of most people are empty: they say nothing, and their size comes from the style sheet. */
const Day = ({ day, count, level }: HeatDay) => {
  const y = top + ((day + 4) % 7) * step
  return count === 0 ? (
    <rect y={y} />
  ) : (
    <rect class={`heat-${level}`} y={y}>
      <title>{texts.heatmapDay(count, dateText(day * secondsPerDay))}</title>
    </rect>
  )
}

/** Contributions by day as a picture; each day with a contribution has a title. */
export const Heatmap = ({ weeks }: { readonly weeks: readonly (readonly HeatDay[])[] }) => {
  const total = weeks.flat().reduce((sum, { count }) => sum + count, 0)
  const labels = weeks.flatMap((week, index) => {
    const [first] = week
    const before = weeks[index - 1]?.[0]
    if (!first || index > weeks.length - 2 || (before && monthOf(before) === monthOf(first))) return []
    // A month that begins in the second week leaves no room for the one before it.
    return index === 0 && weeks[2]?.[0] && monthOf(weeks[2][0]) !== monthOf(first)
      ? []
      : [{ index, text: monthOf(first) }]
  })
  return (
    <figure class="heatmap">
      <figcaption>{texts.heatmap(total)}</figcaption>
      <div class="scroll-x" tabIndex={0} role="group" aria-label={texts.heatmap(total)}>
        <svg width={weeks.length * step} height={top + 7 * step} role="img" aria-label={texts.heatmap(total)}>
          {labels.map(({ index, text }) => (
            <text x={index * step} y={10}>
              {text}
            </text>
          ))}
          {weeks.map((week, x) => (
            <g transform={`translate(${x * step})`}>
              {week.map((each) => (
                <Day {...each} />
              ))}
            </g>
          ))}
        </svg>
      </div>
    </figure>
  )
}
