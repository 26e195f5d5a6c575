import type { LabelRow } from '../../db/tables/issues.ts'
import { Link } from './link.tsx'

/** What a label of an issue shows. */
export type ShownLabel = Pick<LabelRow, 'name' | 'color' | 'description' | 'is_exclusive'>

/** A spot in the colour of a label. The colour is an attribute, because the policy of pages refuses inline styles. */
export const ColorDot = ({ color }: { readonly color: string }) => (
  <svg class="color-dot" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
    <circle cx="5" cy="5" r="5" fill={/^[0-9a-f]{3,6}$/i.test(color) ? `#${color}` : 'gray'} />
  </svg>
)

/** A label of an issue. @param to the list of the issues with this label */
export const LabelTag = ({ label, to }: { readonly label: ShownLabel; readonly to?: string }) => {
  const at = label.is_exclusive ? label.name.lastIndexOf('/') : -1
  const content = (
    <>
      <ColorDot color={label.color} />
      {at > 0 ? (
        <>
          <span class="muted">{label.name.slice(0, at)}</span>
          {label.name.slice(at + 1)}
        </>
      ) : (
        label.name
      )}
    </>
  )
  const title = label.description === '' ? label.name : label.description
  return to === undefined ? (
    <span class="label" title={title}>
      {content}
    </span>
  ) : (
    <Link class="label" to={to} title={title}>
      {content}
    </Link>
  )
}
