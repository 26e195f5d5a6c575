import type { JobRow } from '../../../jobs/queue.ts'
import type { ScheduledTask } from '../../../jobs/scheduler.ts'
import type { Page } from '../../../lib/paging.ts'
import { ActButton } from '../../ui/button.tsx'
import { Box, Empty, PageHead, Pages, Tabs, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { withQuery } from '../../ui/paths.ts'
import { Time } from '../../ui/time.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { inReadersWords } from '../../languages/refusals.ts'

const tones = { waiting: 'neutral', running: 'accent', failed: 'danger' } as const

/** Background jobs that wait, run or have failed. */
export const JobsView = ({
  rows,
  total,
  shown,
  state,
}: {
  readonly rows: readonly JobRow[]
  readonly total: number
  readonly shown: Page
  readonly state: JobRow['state'] | undefined
}) => (
  <>
    <PageHead title={texts.jobs} />
    <Tabs
      label={texts.jobs}
      tabs={[
        { label: texts.job.all, to: '/admin/jobs', isCurrent: state === undefined },
        ...(['waiting', 'running', 'failed'] as const).map((each) => ({
          label: texts.job.states[each],
          to: withQuery('/admin/jobs', { state: each }),
          isCurrent: state === each,
        })),
      ]}
    />
    <RowBox
      rows={rows}
      none={
        <Empty icon="check-circle" title={texts.job.empty}>
          <p>{texts.job.emptyLead}</p>
        </Empty>
      }
    >
      {(job) => (
        <li class="row">
          <div class="row-main">
            <div class="line">
              <span class="row-title mono">{job.name}</span>
              <Tag tone={tones[job.state]}>{texts.job.states[job.state]}</Tag>
            </div>
            <p class="row-facts">
              <span>{texts.job.attempt(job.attempt, job.max_attempts)}</span>
              <span>
                {texts.job.due} <Time unix={Math.floor(job.run_at_ms / 1000)} />
              </span>
            </p>
            {job.last_error === null ? null : <p class="danger-text small">{inReadersWords(job.last_error)}</p>}
          </div>
          {job.state === 'failed' ? (
            <div class="acts">
              <ActButton to={`/admin/jobs/${job.id}/retry`} class="small">
                {texts.job.retry}
              </ActButton>
              <ActButton
                to={`/admin/jobs/${job.id}/delete`}
                kind="danger"
                class="small"
                confirm={texts.job.confirmForget}
              >
                {texts.job.forget}
              </ActButton>
            </div>
          ) : null}
        </li>
      )}
    </RowBox>
    <Pages page={shown.number} total={total} pageSize={shown.limit} />
  </>
)

const offLast = (one: ScheduledTask, other: ScheduledTask): number => Number(other.enabled) - Number(one.enabled)

/** Scheduled tasks with a button to run each: those that run by themselves first. */
export const TasksView = ({ tasks }: { readonly tasks: readonly ScheduledTask[] }) => (
  <>
    <PageHead title={texts.tasks} />
    <Box class="scroll-x">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">{texts.task.name}</th>
            <th scope="col" class="wide-only">
              {texts.task.schedule}
            </th>
            <th scope="col" class="wide-only">
              {texts.task.next}
            </th>
            <th scope="col" class="wide-only">
              {texts.task.last}
            </th>
            <th scope="col" class="wide-only">
              {texts.task.runs}
            </th>
            <th scope="col">
              <span class="sr-only">{texts.task.run}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.toSorted(offLast).map((task) => (
            <tr>
              <td>
                <strong>{texts.task.titles[task.name] ?? task.name}</strong>
                <p class="muted small mono wide-only">{task.name}</p>
                <p class="muted small mono narrow-only">{task.enabled ? task.schedule : texts.task.off}</p>
                {task.lastError === '' ? null : (
                  <p class="danger-text small">
                    {texts.task.failed}
                    {inReadersWords(task.lastError)}
                  </p>
                )}
              </td>
              <td class="mono small nowrap wide-only">{task.enabled ? task.schedule : texts.task.off}</td>
              <td class="nowrap wide-only">
                {task.enabled && task.nextRunUnix > 0 ? <Time unix={task.nextRunUnix} /> : texts.task.never}
              </td>
              <td class="nowrap wide-only">
                {task.lastRunUnix === 0 ? texts.task.never : <Time unix={task.lastRunUnix} />}
              </td>
              <td class="wide-only">{task.runCount}</td>
              <td>
                <ActButton
                  to={`/admin/monitor/cron/${encodeURIComponent(task.name)}`}
                  class="small"
                  aria-label={`${texts.task.run}: ${task.name}`}
                >
                  {texts.task.run}
                </ActButton>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  </>
)
