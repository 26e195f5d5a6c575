import type { UserRow } from '../../../db/tables/accounts.ts'
import type { presentImport } from '../../../imports/import.present.ts'
import { importItems, importSteps } from '../../../imports/wanted-import.ts'
import type { Page } from '../../../lib/paging.ts'
import { ActButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, Select } from '../../ui/field.tsx'
import { choicesOf } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { sentenceOf } from '../../shell/sentence.ts'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Empty, Flash, PageHead, Pages, Progress, State, type Tone } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf, withQuery } from '../../ui/paths.ts'
import { Time } from '../../ui/time.tsx'
import { parseTime } from '../../../lib/time.ts'
import { OwnerAndName, Visibility } from './owner-field.tsx'
import { newRepositoryTexts } from '../../languages/texts.ts'

const texts = newRepositoryTexts.migrate

type RepositoryImport = Awaited<ReturnType<typeof presentImport>>

/** The form of an import. */
export const MigrateView = ({
  owners,
  address,
  service,
}: {
  readonly owners: readonly UserRow[]
  readonly address: string | undefined
  readonly service: string | undefined
}) => {
  const { config, refused } = usePage()
  return (
    <div class="container">
      <div class="narrow">
        <PageHead title={texts.title} lead={texts.lead}>
          <ButtonLink to="/repo/migrate/imports">{texts.others}</ButtonLink>
        </PageHead>
        {config.repository.disableMigrations ? (
          <Flash tone="info">{texts.disabled}</Flash>
        ) : (
          <Form to="/repo/migrate" class="stack">
            <Field
              name="clone_addr"
              label={texts.address}
              hint={texts.addressHint}
              value={address}
              type="url"
              required
              maxlength={2048}
              autofocus
            />
            <Select name="service" label={texts.service} value={service ?? 'git'} choices={choicesOf(texts.services)} />
            <details class="more-options" open={refused?.action === '/repo/migrate'}>
              <summary>{texts.access}</summary>
              <div class="stack">
                <p class="hint">{texts.accessHint}</p>
                <Field name="auth_token" label={texts.token} type="password" autocomplete="off" />
                <div class="fields-row">
                  <Field name="auth_username" label={texts.username} autocomplete="off" />
                  <Field name="auth_password" label={texts.password} type="password" autocomplete="off" />
                </div>
              </div>
            </details>
            <fieldset>
              <legend>{texts.items}</legend>
              <div class="choices-row">
                {importItems.map((item) => (
                  <Checkbox name={item} label={texts.itemNames[item] ?? item} />
                ))}
              </div>
              <p class="hint">{texts.itemsHint}</p>
            </fieldset>
            <OwnerAndName owners={owners} />
            <Field name="description" label={newRepositoryTexts.description} maxlength={2048} isProse />
            <Visibility isPrivate={false} />
            <details class="more-options">
              <summary>{newRepositoryTexts.more}</summary>
              <div class="stack">
                <Checkbox name="mirror" label={texts.mirror} hint={texts.mirrorHint} />
                <Field name="mirror_interval" label={texts.interval} hint={texts.intervalHint} />
                <Field name="lfs_endpoint" label={texts.lfsEndpoint} hint={texts.lfsEndpointHint} type="url" />
              </div>
            </details>
            <SubmitRow icon="repo-push">{texts.submit}</SubmitRow>
          </Form>
        )}
      </div>
    </div>
  )
}

const looks: Readonly<Record<RepositoryImport['state'], { readonly tone: Tone; readonly icon: IconName }>> = {
  waiting: { tone: 'neutral', icon: 'clock' },
  running: { tone: 'warning', icon: 'sync' },
  done: { tone: 'good', icon: 'check' },
  failed: { tone: 'danger', icon: 'x' },
  cancelled: { tone: 'neutral', icon: 'skip' },
}

const ImportState = ({ state }: Pick<RepositoryImport, 'state'>) => (
  <State {...looks[state]}>{newRepositoryTexts.imports.states[state]}</State>
)

const addressOf = ({ id }: RepositoryImport, ...parts: readonly string[]) =>
  pathOf('repo', 'migrate', 'imports', id, ...parts)

const isOver = ({ state }: RepositoryImport) => state !== 'waiting' && state !== 'running'

/** The list of a person's imports. */
export const ImportsView = ({
  imports,
  total,
  page,
}: {
  readonly imports: readonly RepositoryImport[]
  readonly total: number
  readonly page: Page
}) => (
  <div class="container">
    <div class="narrow">
      <PageHead title={newRepositoryTexts.imports.title}>
        <ButtonLink to="/repo/migrate" icon="plus" kind="primary">
          {texts.submit}
        </ButtonLink>
      </PageHead>
      <RowBox
        rows={imports}
        links
        none={
          <Empty icon="repo" title={newRepositoryTexts.imports.empty}>
            <p>{newRepositoryTexts.imports.emptyHint}</p>
          </Empty>
        }
      >
        {(each) => (
          <li class="row">
            <div class="row-main">
              <Link class="row-title" to={addressOf(each)}>{`${each.repo_owner}/${each.repo_name}`}</Link>
              <p class="row-facts">
                <span class="cut">{each.clone_addr}</span> <Time unix={parseTime(each.created_at) ?? 0} />
              </p>
            </div>
            <ImportState state={each.state} />
          </li>
        )}
      </RowBox>
      <Pages page={page.number} total={total} pageSize={page.limit} />
    </div>
  </div>
)

/** Seconds between two looks at an import in progress. */
export const refreshSeconds = 3

/** Returns the icon of a step. An import that ended early ended in its last step. */
function stepLook({ step: last, state }: RepositoryImport, step: string) {
  if (step !== last || state === 'done') return { name: 'check', class: 'good-text' } as const
  const { states } = newRepositoryTexts.imports
  if (state === 'failed') return { name: 'x', class: 'danger-text', label: states.failed } as const
  if (state === 'cancelled') return { name: 'skip', class: 'muted', label: states.cancelled } as const
  return { name: 'sync', class: 'warning-text', label: states.running } as const
}

/** An import and how far it is. */
export const ImportView = ({ import: shown }: { readonly import: RepositoryImport }) => {
  const steps = importSteps.filter((step) => step === shown.step || (shown.counts[step] ?? 0) > 0)
  const at = importSteps.findIndex((step) => step === shown.step)
  return (
    <div class="container">
      <div class="narrow stack">
        <PageHead
          title={`${shown.repo_owner}/${shown.repo_name}`}
          lead={
            <>
              {newRepositoryTexts.imports.from} <span class="mono">{shown.clone_addr}</span>,{' '}
              <Time unix={parseTime(shown.created_at) ?? 0} />
            </>
          }
        >
          <ImportState state={shown.state} />
        </PageHead>
        {shown.problem === '' ? null : <Flash tone="problem">{sentenceOf(shown.problem)}</Flash>}
        {shown.cancelled && !isOver(shown) ? <Flash tone="info">{newRepositoryTexts.imports.cancelling}</Flash> : null}
        {isOver(shown) ? null : (
          <Progress done={Math.max(0, at)} total={importSteps.length} label={newRepositoryTexts.imports.step} />
        )}
        <RowBox rows={steps}>
          {(step) => (
            <li class="row">
              <Icon {...stepLook(shown, step)} />
              <span class="row-main">{newRepositoryTexts.imports.steps[step]}</span>
              <span class="muted">
                {newRepositoryTexts.imports.done(
                  step === shown.step && !isOver(shown) ? shown.done : (shown.counts[step] ?? shown.done),
                )}
              </span>
            </li>
          )}
        </RowBox>
        {shown.notes.length === 0 ? null : (
          <section>
            <h2>{newRepositoryTexts.imports.notes}</h2>
            <ul class="plain-list">
              {shown.notes.map((note) => (
                <li>{note}</li>
              ))}
            </ul>
          </section>
        )}
        {isOver(shown) ? null : (
          <p class="hint" data-refresh-seconds={refreshSeconds}>
            {newRepositoryTexts.imports.refreshes}
          </p>
        )}
        <div class="form-acts">
          {shown.state === 'done' ? (
            <ButtonLink kind="primary" to={pathOf(shown.repo_owner, shown.repo_name)}>
              {newRepositoryTexts.imports.open}
            </ButtonLink>
          ) : null}
          {shown.state === 'failed' || shown.state === 'cancelled' ? (
            <ButtonLink
              kind="primary"
              to={withQuery('/repo/migrate', { clone_addr: shown.clone_addr, service_type: shown.service })}
            >
              {newRepositoryTexts.imports.retry}
            </ButtonLink>
          ) : null}
          {isOver(shown) ? null : <ButtonLink to={addressOf(shown)}>{newRepositoryTexts.imports.reload}</ButtonLink>}
          <ActButton to={addressOf(shown, 'end')} kind={isOver(shown) ? 'quiet' : 'danger'}>
            {isOver(shown) ? newRepositoryTexts.imports.forget : newRepositoryTexts.imports.cancel}
          </ActButton>
        </div>
      </div>
    </div>
  )
}
