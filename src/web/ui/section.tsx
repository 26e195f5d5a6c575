import type { ComponentChildren } from 'preact'

/** A part of a page of settings: a title, an explanation, and forms or lists. */
export const Section = ({
  title,
  lead,
  id,
  isDanger = false,
  children,
}: {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly id: string
  readonly isDanger?: boolean
  readonly children?: ComponentChildren
}) => (
  <section class={isDanger ? 'section danger-zone' : 'section'} aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {lead === undefined ? null : <p class="lead">{lead}</p>}
    {children}
  </section>
)
