import { parseTime } from '../../../lib/time.ts'
import { ActButton, DeleteButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Commands, Flash, Pages, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import type { loadRunners } from './runners.ts'
import { secretTexts as texts } from '../../languages/texts.ts'

type Runners = Awaited<ReturnType<typeof loadRunners>>

/**
 * The runners of an owner with their registration.
 * @param path address of the page below the site root; the forms are below `…/runners`
 * @param isOfInstance the page shows nothing else and has the heading
 */
export const RunnerSection = ({
  path,
  isOfInstance = false,
  ...facts
}: Runners & { readonly path: string; readonly isOfInstance?: boolean }) => {
  const { runners, runnerPage, runnerPageSize, runnerTotal } = facts
  return (
    <>
      <section class="section" aria-labelledby="runners">
        <h2 id="runners" class={isOfInstance ? 'sr-only' : undefined}>
          {texts.runners}
        </h2>
        {isOfInstance ? null : <p class="lead">{texts.runnersLead}</p>}
        <RowBox
          rows={runners}
          none={
            <p class="muted">
              {texts.noRunners} {isOfInstance ? null : texts.instanceRunners}
            </p>
          }
        >
          {(runner) => <Runner runner={runner} path={path} />}
        </RowBox>
        <Pages page={runnerPage} total={runnerTotal} pageSize={runnerPageSize} />
      </section>
      <Registration path={`${path}/runners`} {...facts} />
    </>
  )
}

const tones = { offline: 'neutral', idle: 'good', active: 'accent' } as const

const Runner = ({ runner, path }: { readonly runner: Runners['runners'][number]; readonly path: string }) => (
  <li class="row">
    <Icon name="server" />
    <div class="row-main">
      <p class="line">
        <strong>{runner.name}</strong>
        <Tag tone={tones[runner.status]}>{texts.statuses[runner.status] ?? runner.status}</Tag>
        {runner.ephemeral ? <Tag>{texts.ephemeral}</Tag> : null}
      </p>
      <p class="row-facts">
        {runner.labels.map((label) => (
          <code>{label}</code>
        ))}
        {runner.version === '' ? null : <span>{runner.version}</span>}
        <span>
          {texts.lastOnline}
          <Time unix={parseTime(runner.last_online) ?? 0} />
        </span>
      </p>
    </div>
    <DeleteButton
      to={`${path}/runners/delete`}
      hidden={{ id: runner.id }}

      confirm={texts.removeRunnerQuestion(runner.name)}
      label={texts.removeRunner(runner.name)}
    >
      {texts.remove}
    </DeleteButton>
  </li>
)

const Registration = ({
  path,
  registration,
  newRunnerToken,
}: Pick<Runners, 'registration' | 'newRunnerToken'> & { readonly path: string }) => {
  const { config } = usePage()
  return (
    <Section title={texts.register} id="register" lead={registration.is_active ? texts.registerLead : texts.disabled}>
      <div class="stack">
        {newRunnerToken === undefined ? null : (
          <Flash tone="done">
            <p>{texts.tokenOnce}</p>
            <Commands text={texts.command(config.server.rootUrl, newRunnerToken)} label={texts.commandLabel} />
          </Flash>
        )}
        {registration.created_at === null ? null : <p class="muted">{texts.hasToken}</p>}
        <div class="acts">
          {registration.is_active ? (
            <ActButton to={`${path}/token`} icon="key">
              {texts.newToken}
            </ActButton>
          ) : null}
          {registration.created_at === null ? null : (
            <ActButton to={`${path}/token/delete`}>{texts.endToken}</ActButton>
          )}
          <ActButton to={`${path}/registration`} hidden={{ is_active: !registration.is_active }}>
            {registration.is_active ? texts.disable : texts.enable}
          </ActButton>
        </div>
      </div>
    </Section>
  )
}
