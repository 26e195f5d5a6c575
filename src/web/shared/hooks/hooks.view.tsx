import { ActButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, Radios, Select } from '../../ui/field.tsx'
import { choicesOf } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Box, Empty, Flash, Menu, PageHead, Pages, Tabs, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { parseTime } from '../../../lib/time.ts'
import type { DeliveryState } from '../../../db/tables/webhooks.ts'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import type { presentDeliveries } from '../../../webhooks/deliveries/delivery.present.ts'
import { hookTypes, selectedEvents, settingsOfType } from '../../../webhooks/hook.rules.ts'
import type { presentHook } from '../../../webhooks/hook.present.ts'
import { offeredEvents, type loadDelivery, type loadHook } from './hooks.ts'
import { hookTexts as texts } from '../../languages/texts.ts'
import { inReadersWords } from '../../languages/refusals.ts'

type Hook = ReturnType<typeof presentHook>
type HookDelivery = ReturnType<typeof presentDeliveries>[number]

const eventsOf = (hook: Hook): readonly string[] => hook.events ?? []
const unixOf = (text: string) => parseTime(text) ?? 0
const typeName = (type: string): string => texts.types[type] ?? type

/** The button that lists the types of webhooks. */
const AddHook = ({ path }: { readonly path: string }) => (
  <Menu label={texts.add} kind="primary" align="end">
    <ul>
      {hookTypes.map((type) => (
        <li>
          <Link to={`${path}/${type}/new`}>{typeName(type)}</Link>
        </li>
      ))}
    </ul>
  </Menu>
)

const hookTag = (hook: Hook) => {
  if (!hook.active) return <Tag>{texts.inactive}</Tag>
  if (hook.paused_since !== null) return <Tag tone="danger">{texts.paused}</Tag>
  if (hook.problem !== '') return <Tag tone="warning">{texts.failing}</Tag>
  return <Tag tone="good">{texts.active}</Tag>
}

/**
 * The list of webhooks.
 * @param path address of the list below the site root
 * @param systemIds for the instance: which webhooks apply to all repositories
 */
export const HookList = ({
  hooks,
  path,
  lead = texts.lead,
  systemIds,
}: {
  readonly hooks: readonly Hook[]
  readonly path: string
  readonly lead?: string
  readonly systemIds?: readonly number[] | undefined
}) => (
  <>
    <PageHead title={texts.title} lead={lead}>
      <AddHook path={path} />
    </PageHead>
    <RowBox
      rows={hooks}
      none={
        <Box>
          <Empty icon="webhook" title={texts.none}>
            <p>{texts.noneHint}</p>
          </Empty>
        </Box>
      }
    >
      {(hook) => (
        <li class="row">
          <div class="row-main">
            <p class="line">
              <Link class="row-title" to={`${path}/${hook.id}`}>
                {hook.url}
              </Link>
              {hookTag(hook)}
            </p>
            <p class="row-facts">
              {systemIds === undefined ? null : (
                <span>{systemIds.includes(hook.id) ? texts.isSystem : texts.isDefault}</span>
              )}
              <span>{typeName(hook.type)}</span>
              <span>{texts.eventCount(eventsOf(hook).length)}</span>
              {hook.problem === '' ? null : <span>{inReadersWords(hook.problem)}</span>}
            </p>
          </div>
        </li>
      )}
    </RowBox>
  </>
)

/** The page for a new webhook. */
export const NewHook = ({
  type,
  path,
  isOfInstance = false,
}: {
  readonly type: string
  readonly path: string
  readonly isOfInstance?: boolean
}) => (
  <>
    <PageHead title={texts.newOf(typeName(type))} lead={texts.lead} />
    <HookForm to={`${path}/${type}/new`} type={type} isSystem={isOfInstance ? false : undefined} />
  </>
)

const setOf = (hook: Hook): string => {
  if (eventsOf(hook).join() === 'push') return 'push'
  const everything = selectedEvents(offeredEvents.flatMap(({ names }) => names))
  return everything.every((event) => eventsOf(hook).includes(event)) ? 'all' : 'chosen'
}

const isChosen = (hook: Hook | undefined, name: string): boolean =>
  hook !== undefined && selectedEvents([name]).every((event) => eventsOf(hook).includes(event))

const HookForm = ({
  to,
  type,
  hook,
  hasSecret = false,
  isSystem,
}: {
  readonly to: string
  readonly type: string
  readonly hook?: Hook
  readonly hasSecret?: boolean
  /** Whether a webhook of the instance is for all repositories; undefined for other webhooks. */
  readonly isSystem?: boolean | undefined
}) => {
  const has = settingsOfType(type)
  // A value that came by the API stays visible.
  const hasAuthorization = has.authorization || (hook !== undefined && hook.authorization_header !== '')
  return (
    <Form isEdit to={to} class="stack">
      <Field
        name="url"
        type="url"
        label={texts.address}
        hint={texts.addressHints[type] ?? texts.addressHint}
        value={hook?.url}
        required
      />
      {has.message ? <SlackFields config={hook?.config ?? {}} /> : null}
      {has.contentType ? (
        <Select
          name="content_type"
          label={texts.contentType}
          value={hook?.content_type ?? 'json'}
          choices={choicesOf(texts.contentTypes)}
        />
      ) : null}
      {hasSecret ? (
        <p class="hint">{texts.secretKept}</p>
      ) : hook === undefined && has.secret ? (
        <Field name="secret" type="password" label={texts.secret} hint={texts.secretHint} autocomplete="off" />
      ) : null}
      {hasAuthorization ? (
        <Field
          name="authorization_header"
          label={texts.authorization}
          hint={texts.authorizationHint}
          value={hook?.authorization_header}
          autocomplete="off"
        />
      ) : null}
      <Radios
        name="event_set"
        label={texts.eventSet}
        value={hook === undefined ? 'push' : setOf(hook)}
        choices={Object.entries(texts.eventSets).map(([value, [label]]) => ({ value, label }))}
      />
      <div class="event-groups">
        {offeredEvents.map(({ title, names }) => (
          <fieldset class="stack tight">
            <legend>{texts.eventGroups[title]}</legend>
            {names.map((name) => (
              <Checkbox
                name="events"
                id={`event_${name}`}
                value={name}
                label={texts.events[name] ?? name}
                checked={isChosen(hook, name)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <Field
        name="branch_filter"
        label={texts.branchFilter}
        hint={texts.branchFilterHint}
        value={hook?.branch_filter}
      />
      {isSystem === undefined ? null : (
        <Checkbox name="is_system_webhook" label={texts.isSystem} hint={texts.isSystemHint} checked={isSystem} />
      )}
      <Checkbox name="active" label={texts.isActive} hint={texts.isActiveHint} checked={hook?.active ?? true} />
      <SubmitRow>{hook === undefined ? texts.create : texts.save}</SubmitRow>
    </Form>
  )
}

const SlackFields = ({ config }: { readonly config: Readonly<Record<string, string>> }) => (
  <div class="fields-row">
    <Field name="channel" label={texts.channel} value={config['channel']} placeholder="#general" required />
    <Field name="username" label={texts.username} value={config['username']} />
    <Field name="icon_url" label={texts.iconUrl} value={config['icon_url']} />
    <Field name="color" label={texts.color} value={config['color']} />
  </div>
)

type HookFacts = Awaited<ReturnType<typeof loadHook>>

/**
 * A webhook with its deliveries.
 * @param path address of the list below the site root
 * @param offersTest whether the place can send a test
 */
export const HookPage = ({
  path,
  offersTest = false,
  ...facts
}: HookFacts & { readonly path: string; readonly offersTest?: boolean }) => {
  const { hook } = facts
  const at = `${path}/${hook.id}`
  return (
    <>
      <PageHead
        title={
          <span class="line">
            {typeName(hook.type)} {hookTag(hook)}
          </span>
        }
        lead={hook.url}
      >
        <ButtonLink to={path}>{texts.title}</ButtonLink>
        {offersTest ? (
          <ActButton to={`${at}/test`} icon="paper-airplane">
            {texts.test}
          </ActButton>
        ) : null}
      </PageHead>
      {hook.paused_since === null ? null : (
        <Flash tone="warning">
          <p>{texts.pausedHint}</p>
          <p>{inReadersWords(hook.problem)}</p>
        </Flash>
      )}
      <Deliveries at={at} {...facts} />
      <Section title={texts.settings} id="hook_settings">
        <HookForm to={at} type={hook.type} hook={hook} hasSecret={facts.hasSecret} isSystem={facts.isSystem} />
      </Section>
      <Section title={texts.delete} id="hook_delete" lead={texts.deleteHint}>
        <ActButton to={`${at}/delete`} kind="danger" confirm={texts.deleteQuestion}>
          {texts.delete}
        </ActButton>
      </Section>
    </>
  )
}

const stateIcons = {
  waiting: ['clock', 'muted'],
  delivered: ['check-circle', 'good-text'],
  failed: ['x-circle', 'danger-text'],
  skipped: ['skip', 'muted'],
} as const satisfies Readonly<Record<DeliveryState, readonly [string, string]>>

const Deliveries = ({ at, deliveries, state, page, pageSize, total }: Omit<HookFacts, 'hook'> & { at: string }) => (
  <Section title={texts.deliveries} id="hook_deliveries">
    <Tabs
      label={texts.deliveries}
      tabs={[
        { label: texts.allStates, to: at, isCurrent: state === undefined },
        ...Object.keys(stateIcons).map((each) => ({
          label: texts.states[each] ?? each,
          to: `${at}?state=${each}`,
          isCurrent: state === each,
        })),
      ]}
    />
    {deliveries.length === 0 ? (
      <p class="muted list-note">{texts.noDeliveries}</p>
    ) : (
      <ul class="rows">
        {deliveries.map((delivery) => (
          <Delivery at={at} delivery={delivery} />
        ))}
      </ul>
    )}
    {state === 'failed' && deliveries.length > 0 ? (
      <ActButton to={`${at}/replay`} icon="sync">
        {texts.replayFailed}
      </ActButton>
    ) : null}
    <Pages page={page} total={total} pageSize={pageSize} />
  </Section>
)

const Delivery = ({ at, delivery }: { readonly at: string; readonly delivery: HookDelivery }) => {
  const [icon, tone] = stateIcons[delivery.state]
  return (
    <li class="row">
      <Icon name={icon} class={tone} label={texts.states[delivery.state] ?? delivery.state} />
      <div class="row-main">
        <p class="line">
          <Link class="row-title" to={`${at}/deliveries/${delivery.id}`}>
            {delivery.event_type}
          </Link>
          {delivery.status_code === null ? null : <Tag>{texts.status(delivery.status_code)}</Tag>}
        </p>
        <p class="row-facts">
          <Time unix={unixOf(delivery.created_at)} />
          <span>{texts.attempts(delivery.attempts)}</span>
          {delivery.problem === '' ? null : <span>{inReadersWords(delivery.problem)}</span>}
        </p>
      </div>
      <ActButton to={`${at}/deliveries/${delivery.id}/replay`} class="small">
        {texts.replay}
      </ActButton>
    </li>
  )
}

/** A delivery with its requests and responses. */
export const DeliveryPage = ({
  path,
  hookId,
  delivery,
}: Awaited<ReturnType<typeof loadDelivery>> & { readonly path: string }) => {
  const at = `${path}/${hookId}`
  return (
    <>
      <PageHead title={delivery.event_type} lead={texts.delivery(delivery.uuid)}>
        <ButtonLink to={at}>{texts.back}</ButtonLink>
        <ActButton to={`${at}/deliveries/${delivery.id}/replay`} icon="sync">
          {texts.replay}
        </ActButton>
      </PageHead>
      {delivery.problem === '' ? null : <Flash tone="problem">{inReadersWords(delivery.problem)}</Flash>}
      {delivery.last_attempts.length === 0 ? <p class="muted">{texts.noAttempt}</p> : null}
      {delivery.last_attempts.map((attempt, index) => (
        <Attempt attempt={attempt} number={delivery.attempts - index} />
      ))}
    </>
  )
}

type AttemptFacts = Awaited<ReturnType<typeof loadDelivery>>['delivery']['last_attempts'][number]

const Attempt = ({ attempt, number }: { readonly attempt: AttemptFacts; readonly number: number }) => (
  <section class="section stack tight">
    <h2>{texts.attempt(number)}</h2>
    <p class="row-facts">
      <Time unix={unixOf(attempt.sent_at)} />
      <span>{texts.duration(attempt.duration_ms)}</span>
      {attempt.status_code === null ? null : <Tag>{texts.status(attempt.status_code)}</Tag>}
      {attempt.problem === '' ? null : <span class="danger-text">{inReadersWords(attempt.problem)}</span>}
    </p>
    {attempt.request === null ? null : (
      <Message
        title={texts.request}
        first={`${attempt.request.method} ${attempt.request.url}`}
        headers={attempt.request.headers}
        body={attempt.request.body}
      />
    )}
    {attempt.response === null ? (
      <p class="muted">{texts.noResponse}</p>
    ) : (
      <>
        <Message title={texts.response} headers={attempt.response.headers} body={attempt.response.body} />
        {attempt.response.is_cut ? <p class="hint">{texts.cut}</p> : null}
      </>
    )}
  </section>
)

/** Longest shown body, in characters. */
const maxBody = 50_000

const Message = ({
  title,
  first,
  headers,
  body,
}: {
  readonly title: string
  readonly first?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}) => (
  <details class="disclosure">
    <summary>{title}</summary>
    <pre class="message" tabIndex={0}>
      {[
        ...(first === undefined ? [] : [first]),
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        '',
        indented(body).slice(0, maxBody),
      ].join('\n')}
    </pre>
  </details>
)

/** Returns JSON with line breaks; other text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
