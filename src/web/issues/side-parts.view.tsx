import type { ComponentChildren } from 'preact'
import { Submit } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuFilter } from '../ui/parts.tsx'
import { searchedFrom } from './list.view.tsx'
import { issueTexts } from '../languages/texts.ts'

const texts = issueTexts.issue

/**
 * A part of the side with a heading, and a menu that changes it.
 * @param isEmpty nothing is set: a narrow window shows the part only to those who can change it
 */
export const Part = ({
  title,
  change = null,
  isEmpty = false,
  id,
  children,
}: {
  readonly title: string
  readonly id?: string
  readonly change?: ComponentChildren
  readonly isEmpty?: boolean
  readonly children: ComponentChildren
}) => (
  <section class={`side-part${isEmpty && change === null ? ' is-bare' : ''}`} id={id}>
    <div class="side-head">
      <h2>{title}</h2>
      {change}
    </div>
    <div class="side-value">{children}</div>
  </section>
)

/** The menu behind the gear of a part. */
export const ChangeMenu = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <Menu label={<Icon name="gear" />} title={texts.change(title)} class="icon-only small" align="end" kind="quiet">
    {children}
  </Menu>
)

/** A menu with a form of choices that are sent together. */
export const ChoiceMenu = ({
  to,
  title,
  id,
  count,
  hidden,
  empty,
  children,
}: {
  readonly to: string
  readonly title: string
  readonly id: string
  readonly count: number
  readonly hidden?: Parameters<typeof Form>[0]['hidden']
  /** The sentence for a menu without choices. */
  readonly empty?: string
  readonly children: ComponentChildren
}) => (
  <ChangeMenu title={title}>
    <Form
      isEdit
      to={to}
      class="choice-menu"
      label={texts.change(title)}
      data-save-on-close=""
      {...(hidden ? { hidden } : {})}
    >
      {count > searchedFrom ? <MenuFilter list={`${id}_items`} label={issueTexts.filterBy(title)} /> : null}
      <div class="choices" id={`${id}_items`}>
        {children}
      </div>
      {count === 0 ? (
        <p class="muted small">{empty}</p>
      ) : (
        <div class="menu-foot">
          <Submit kind="plain" class="small">
            {texts.apply}
          </Submit>
        </div>
      )}
    </Form>
  </ChangeMenu>
)
