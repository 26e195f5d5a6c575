import type { AnnotationLevel } from '../../db/tables/actions.ts'
import type { IconName } from '../ui/icons.ts'

/** How annotations look. */
export const annotationLooks: Readonly<Record<AnnotationLevel, { readonly icon: IconName; readonly tone: string }>> = {
  error: { icon: 'x-circle-fill', tone: 'danger' },
  warning: { icon: 'alert', tone: 'warning' },
  notice: { icon: 'info', tone: 'neutral' },
}
