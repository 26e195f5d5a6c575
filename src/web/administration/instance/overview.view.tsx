import type { ScheduledTask } from '../../../jobs/scheduler.ts'
import type { QueueStats } from '../../../jobs/queue.ts'
import { Link } from '../../ui/link.tsx'
import { Box, Flash, PageHead } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { numberText, sizeText } from '../../languages/amounts.ts'
import { durationText, Time } from '../../ui/time.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { inReadersWords } from '../../languages/refusals.ts'

export interface OverviewProps {
  /** What is wrong with database or disks. */
  readonly problem: string | undefined
  readonly queue: QueueStats
  readonly failedTasks: readonly ScheduledTask[]
  readonly people: number
  readonly database: string
  readonly address: string
  readonly memoryBytes: number
  readonly uptimeSeconds: number
}

const lateMs = 60_000

/** Whether the instance is well, what runs, and what failed. */
export const OverviewView = (props: OverviewProps) => {
  const { health } = texts
  const { problem, queue, failedTasks } = props
  return (
    <>
      <PageHead title={texts.overview} />
      {problem === undefined ? <Flash tone="done">{health.good}</Flash> : <Flash tone="problem">{problem}</Flash>}
      <div class="figures">
        <Figure name={health.people} value={numberText(props.people)} to="/admin/users" />
        <Figure name={health.waiting} value={numberText(queue.waiting)} to="/admin/jobs?state=waiting" />
        <Figure name={health.running} value={numberText(queue.running)} to="/admin/jobs?state=running" />
        <Figure name={health.failed} value={numberText(queue.failed)} to="/admin/jobs?state=failed" />
      </div>
      {queue.oldestDueMs > lateMs ? (
        <Flash tone="warning">{health.oldest(durationText(queue.oldestDueMs / 1000))}</Flash>
      ) : null}
      <RowBox rows={failedTasks} head={<h2>{health.failedTasks}</h2>}>
        {(task) => (
          <li class="row">
            <div class="row-main">
              <Link to="/admin/monitor/cron" class="row-title">
                {task.name}
              </Link>
              <p class="danger-text small">{inReadersWords(task.lastError)}</p>
            </div>
            <div class="row-side">
              <Time unix={task.lastRunUnix} />
            </div>
          </li>
        )}
      </RowBox>
      <Box head={<h2>{health.server}</h2>}>
        <dl class="facts-table">
          <dt>{health.address}</dt>
          <dd class="mono">{props.address}</dd>
          <dt>{health.database}</dt>
          <dd>{props.database}</dd>
          <dt>{health.uptime}</dt>
          <dd>{durationText(props.uptimeSeconds)}</dd>
          <dt>{health.program}</dt>
          <dd>{sizeText(props.memoryBytes)}</dd>
        </dl>
      </Box>
    </>
  )
}

const Figure = ({ name, value, to }: { readonly name: string; readonly value: string; readonly to: string }) => (
  <Link to={to} class="figure">
    <strong>{value}</strong>
    <span>{name}</span>
  </Link>
)
