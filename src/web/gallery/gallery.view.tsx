import type { ComponentChildren } from 'preact'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Editor } from '../ui/editor.tsx'
import { ActButton, DeleteButton, RemoveButton, Submit, SubmitRow } from '../ui/button.tsx'
import { Checkbox, Field, Radios, Select, TextArea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { CheckIcon } from '../ui/check-icon.tsx'
import { Icon } from '../ui/icon.tsx'
import { iconSets } from '../ui/icons.ts'
import { LabelTag } from '../ui/label.tsx'
import { ButtonLink, FeedLink, Link } from '../ui/link.tsx'
import { pageScope, usePage } from '../ui/page-context.ts'
import {
  Box,
  Commands,
  CopyField,
  Counter,
  Empty,
  Flash,
  InlineMarkup,
  Markup,
  Menu,
  NarrowMenu,
  PageHead,
  Pages,
  Progress,
  SideMenu,
  State,
  Tabs,
  Tag,
} from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { Person } from '../ui/person.tsx'
import { Day, Time } from '../ui/time.tsx'
import { galleryTexts as texts } from '../languages/texts.ts'

const here = '/-/ui'
const tones = ['neutral', 'accent', 'good', 'warning', 'danger', 'done'] as const
const choices = () => texts.choices.map((label) => ({ value: label.toLowerCase(), label, hint: texts.hint }))

const Part = ({
  name,
  children,
}: {
  readonly name: keyof typeof texts.parts
  readonly children: ComponentChildren
}) => (
  <section class="section stack" aria-labelledby={`part_${name}`}>
    <h2 id={`part_${name}`}>{texts.parts[name]}</h2>
    {children}
  </section>
)

/** Each shared part with its states. */
export const GalleryView = ({ person }: { readonly person: UserRow | undefined }) => (
  <div class="container stack">
    <PageHead title={texts.title} lead={texts.lead} />
    <Buttons />
    <Part name="tags">
      <div class="line">
        {tones.map((tone) => (
          <Tag tone={tone}>{tone}</Tag>
        ))}
        <Tag icon="lock">{texts.withIcon}</Tag>
        {texts.labels.map((label) => (
          <LabelTag label={label} to={here} />
        ))}
        <Counter count={7} />
        <Counter count={12_345} />
      </div>
      <div class="line">
        {tones.map((tone) => (
          <State tone={tone} icon="issue-opened">
            {tone}
          </State>
        ))}
        {['success', 'failure', 'warning', 'pending', 'cancelled', 'skipped', 'unknown'].map((state) => (
          <CheckIcon state={state} />
        ))}
      </div>
    </Part>
    <Part name="messages">
      {(['info', 'done', 'warning', 'problem'] as const).map((tone) => (
        <Flash tone={tone}>{texts.word}</Flash>
      ))}
    </Part>
    <Part name="fields">
      <Form to={`${here}/sample`} class="stack">
        <Fields prefix="plain" />
      </Form>
    </Part>
    <Refused />
    <Lists />
    <Navigation />
    <Part name="people">
      <div class="line">
        {person === undefined ? null : <Person person={person} />}
        <Time unix={usePage().nowUnix - 90} />
        <Time unix={usePage().nowUnix - 90_000} />
        <Day unix={usePage().nowUnix} />
      </div>
    </Part>
    <Part name="copying">
      <CopyField text={texts.command} label={texts.label} />
      <Commands text={texts.command} label={texts.label} />
    </Part>
    <Part name="progress">
      {[0, 40, 100].map((done) => (
        <Progress done={done} total={100} label={texts.sample} />
      ))}
    </Part>
    <Part name="writing">
      <Form to={`${here}/sample`} class="stack">
        <Editor name="text" label={texts.label} hint={texts.hint} />
      </Form>
      <Markup html={texts.markdown} />
      <p>
        <InlineMarkup html={texts.word} />
      </p>
    </Part>
    <Part name="empty">
      <Box>
        <Empty icon="inbox" title={texts.sample}>
          <p>{texts.word}</p>
          <ButtonLink to={here}>{texts.link}</ButtonLink>
        </Empty>
      </Box>
    </Part>
    <Part name="icons">
      <div class="line">
        {[...iconSets.icons.icons, ...iconSets['icons-further'].icons].map((name) => (
          <span title={name}>
            <Icon name={name} label={name} />
          </span>
        ))}
      </div>
    </Part>
  </div>
)

const Buttons = () => (
  <Part name="buttons">
    <Form to={`${here}/sample`} class="line">
      {(['primary', 'plain', 'danger', 'quiet'] as const).map((kind) => (
        <Submit kind={kind}>{texts[kind]}</Submit>
      ))}
      <Submit kind="plain" icon="plus">
        {texts.withIcon}
      </Submit>
      <Submit kind="plain" class="small">
        {texts.small}
      </Submit>
      <Submit kind="primary" disabledBecause={texts.because}>
        {texts.disabled}
      </Submit>
      <Submit kind="plain" disabledBecause={texts.because}>
        {texts.disabled}
      </Submit>
      <ButtonLink to={here} icon="gear">
        {texts.link}
      </ButtonLink>
      <Link to={here}>{texts.link}</Link>
      <FeedLink to={here} />
    </Form>
    <ActButton to={`${here}/sample`} kind="danger" icon="trash" confirm={texts.word}>
      {texts.danger}
    </ActButton>
  </Part>
)

const Fields = ({ prefix }: { readonly prefix: string }) => (
  <>
    <Field name="name" id={`${prefix}_name`} label={texts.label} hint={texts.hint} required value={texts.sample} />
    <Field name="password" id={`${prefix}_password`} type="password" label={texts.label} />
    <Field name="date" id={`${prefix}_date`} type="date" label={texts.label} />
    <div class="fields-row">
      <Field name="one" id={`${prefix}_one`} label={texts.label} isTerse />
      <Select name="choice" id={`${prefix}_choice`} label={texts.label} choices={choices()} />
    </div>
    <TextArea name="long" id={`${prefix}_long`} label={texts.label} rows={3} value={texts.word} />
    <TextArea name="code" id={`${prefix}_code`} label={texts.label} rows={3} value={texts.command} isCode />
    <Checkbox name="on" id={`${prefix}_on`} label={texts.label} hint={texts.hint} checked />
    <Checkbox name="off" id={`${prefix}_off`} label={texts.label} />
    <Checkbox name="disabled" id={`${prefix}_disabled`} label={texts.disabled} disabled />
    <Radios name={`${prefix}_radio`} label={texts.label} choices={choices()} value="first" />
    <SubmitRow kind="plain">{texts.plain}</SubmitRow>
  </>
)

/** Forms that were refused: because of a field, and as a whole. */
const Refused = () => {
  const facts = usePage()
  const refusedBy = (field: string | undefined, message: string) => ({
    ...facts,
    refused: { action: `${here}/sample`, problem: { field, message }, values: { name: 'x' } },
  })
  return (
    <Part name="refused">
      <pageScope.Within value={refusedBy('name', texts.problem)}>
        <Form to={`${here}/sample`} class="stack">
          <Field name="name" id="refused_name" label={texts.label} required />
        </Form>
      </pageScope.Within>
      <pageScope.Within value={refusedBy(undefined, texts.formProblem)}>
        <Form to={`${here}/sample`} class="stack">
          <Field name="name" id="refused_whole" label={texts.label} required />
        </Form>
      </pageScope.Within>
    </Part>
  )
}

const Lists = () => (
  <Part name="lists">
    <RowBox head={<h3>{texts.sample}</h3>} foot={texts.word} rows={[texts.sample, texts.long]} links>
      {(title) => (
        <li class="row">
          <Icon name="repo" class="row-icon" />
          <div class="row-main">
            <div class="line">
              <Link class="row-title" to={here}>
                {title}
              </Link>
              <Tag>{texts.sample}</Tag>
            </div>
            <p class="row-facts">
              <span>{texts.description}</span>
              <span>{texts.sample}</span>
            </p>
          </div>
          <div class="row-side">{texts.sample}</div>
          <div class="acts">
            <RemoveButton to={`${here}/sample`} label={texts.sample}>
              {texts.word}
            </RemoveButton>
            <DeleteButton to={`${here}/sample`} label={texts.sample}>
              {texts.word}
            </DeleteButton>
          </div>
        </li>
      )}
    </RowBox>
    <Box class="scroll-x">
      <table class="data">
        <thead>
          <tr>
            {texts.choices.map((each) => (
              <th scope="col">{each}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[1, 2].map((row) => (
            <tr>
              {texts.choices.map((each) => (
                <td>
                  {each} {row}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
    <details class="disclosure">
      <summary>{texts.sample}</summary>
      <p>{texts.word}</p>
    </details>
  </Part>
)

const Navigation = () => {
  const tabs = texts.choices.map((label, index) => ({ label, to: here, count: index * 12, isCurrent: index === 0 }))
  return (
    <Part name="navigation">
      <Tabs label={texts.sample} tabs={tabs} />
      <div class="columns side-first with-menu">
        <SideMenu label={texts.menu} groups={[{ title: texts.sample, items: tabs }]} />
        <div class="line">
          {(['plain', 'primary', 'quiet'] as const).map((kind) => (
            <Menu label={texts.menu} kind={kind}>
              <ul>
                {texts.choices.map((each) => (
                  <li>
                    <Link to={here}>{each}</Link>
                  </li>
                ))}
              </ul>
            </Menu>
          ))}
          <NarrowMenu title={texts.menu}>
            <Link to={here}>{texts.menu}</Link>
          </NarrowMenu>
        </div>
      </div>
      <Pages page={4} total={300} pageSize={20} />
    </Part>
  )
}
