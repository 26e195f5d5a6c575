import type { ComponentChildren } from 'preact'
import { usePage } from './page-context.ts'

/** A form that opens on demand. It is open when it was refused. */
export const Disclosure = ({
  title,
  to,
  isOpen = false,
  children,
}: {
  readonly title: string
  /** Path of its form. */
  readonly to: string
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}) => (
  <details class="disclosure" open={isOpen || usePage().refused?.action === to}>
    <summary>{title}</summary>
    {children}
  </details>
)
