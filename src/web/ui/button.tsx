import type { ComponentChildren } from 'preact'
import type { Marks } from './form-state.ts'
import { Form, type FormProps } from './form.tsx'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet'

/**
 * A button that sends its form. `primary` appears once on a page.
 * @param name with `value`, what is sent when this button was used
 * @param disabledBecause disables the button and says why
 */
export const Submit = ({
  kind = 'primary',
  icon,
  disabledBecause,
  children,
  class: more = '',
  ...rest
}: {
  readonly kind?: ButtonKind
  readonly icon?: IconName | undefined
  readonly name?: string
  readonly value?: string
  readonly form?: string
  readonly formaction?: string
  readonly formenctype?: 'application/x-www-form-urlencoded'
  /** The form may be incomplete. */
  readonly formnovalidate?: boolean
  readonly title?: string | undefined
  readonly 'aria-label'?: string | undefined
  readonly 'aria-pressed'?: 'true' | 'false' | undefined
  readonly disabledBecause?: string | undefined
  readonly class?: string
  readonly children?: ComponentChildren
} & Marks) => (
  <button
    type="submit"
    class={`button ${kind} ${more}`.trim()}
    {...rest}
    {...(disabledBecause === undefined ? {} : { disabled: true, title: disabledBecause })}
  >
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </button>
)

/** The last line of a form with one button. */
export const SubmitRow = (button: Parameters<typeof Submit>[0]) => (
  <div class="form-acts">
    <Submit {...button} />
  </div>
)

/** A form of one button. */
export const ActButton = ({
  to,
  hidden,
  confirm,
  formClass,
  ...button
}: Parameters<typeof Submit>[0] & {
  readonly to: string
  readonly hidden?: FormProps['hidden']
  readonly confirm?: string | undefined
  readonly formClass?: string
}) => (
  <Form to={to} class={formClass ?? 'inline'} {...(hidden ? { hidden } : {})} confirm={confirm}>
    <Submit {...{ kind: 'plain', ...button }} />
  </Form>
)

type RowButtonProps = Omit<Parameters<typeof ActButton>[0], 'kind' | 'class' | 'aria-label'> & {
  /** Names for screen readers what the row shows. */
  readonly label: string
}

/** The button of a row that deletes what the row shows: nothing on the page brings it back. */
export const DeleteButton = ({ label, ...button }: RowButtonProps) => (
  <ActButton {...button} kind="danger" class="small" aria-label={label} />
)

/** The button of a row that takes what the row shows out of a list, into which a form of the page puts it again. */
export const RemoveButton = ({ label, ...button }: RowButtonProps) => (
  <ActButton {...button} class="small" aria-label={label} />
)
