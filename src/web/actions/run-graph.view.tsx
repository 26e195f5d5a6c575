import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { JobState } from '../../actions/runs/run.store.ts'
import { Icon } from '../ui/icon.tsx'
import { usePage } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { durationText } from '../ui/time.tsx'
import { jobPath, type RepoNames } from './actions-paths.ts'
import { graphOf, type GraphPlace } from './run-graph.rules.ts'
import { lookOf, needsOf, secondsOf } from './status.tsx'
import { texts } from './texts.tsx'

/** A graph of more jobs is too large to read; the list shows all. */
const maxShown = 100

/** Sizes in pixels. */
const width = 220
const height = 36
const gapX = 56
const gapY = 10
const margin = 1
const maxNameLength = 22

const xOf = ({ column }: GraphPlace): number => margin + column * (width + gapX)
const yOf = ({ row }: GraphPlace): number => margin + row * (height + gapY)

/** The jobs of a run as a drawing: each job after those that it needs. */
export function RunGraph({
  run,
  jobs: all,
  ...names
}: RepoNames & { readonly run: ActionRunRow; readonly jobs: readonly JobState[] }) {
  const { config, nowUnix } = usePage()
  const jobs = all.slice(0, maxShown)
  const graph = graphOf(jobs.map((job) => ({ key: job.job_key, needs: needsOf(job) })))
  const total = {
    width: graph.columns * (width + gapX) - gapX + 2 * margin,
    height: graph.rows * (height + gapY) - gapY + 2 * margin,
  }
  return (
    <div class="run-graph" id="run-graph" tabIndex={0} aria-label={texts.run.graph}>
      <svg
        width={total.width}
        height={total.height}
        viewBox={`0 0 ${total.width} ${total.height}`}
        aria-label={texts.run.graph}
      >
        {graph.edges.map(([from, to]) => {
          const [start, end] = [graph.places[from] as GraphPlace, graph.places[to] as GraphPlace]
          const [x1, y1, x2, y2] = [xOf(start) + width, yOf(start) + height / 2, xOf(end), yOf(end) + height / 2]
          const middle = x2 - gapX / 2
          return (
            <path class="graph-edge" d={`M${x1} ${y1} H${x2 - gapX} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />
          )
        })}
        {jobs.map((job, index) => {
          const place = graph.places[index] as GraphPlace
          const seconds = secondsOf(job, nowUnix)
          const label = Array.from(job.name)
          return (
            <a
              href={siteHref(config, jobPath(names, run, job))}
              class={`graph-job ${lookOf(job.status).tone}${job.status === 'running' ? ' is-running' : ''}`}
            >
              <title>{`${job.name}: ${texts.status(job.status)}`}</title>
              <rect x={xOf(place)} y={yOf(place)} width={width} height={height} rx={6} />
              <g class="graph-icon" transform={`translate(${xOf(place) + 11} ${yOf(place) + 10})`}>
                <Icon name={lookOf(job.status).icon} />
              </g>
              <text class="graph-name" x={xOf(place) + 35} y={yOf(place) + 23}>
                {label.length > maxNameLength ? `${label.slice(0, maxNameLength - 1).join('')}…` : job.name}
              </text>
              {seconds === undefined ? null : (
                <text class="graph-time" x={xOf(place) + width - 11} y={yOf(place) + 23}>
                  {durationText(seconds)}
                </text>
              )}
            </a>
          )
        })}
      </svg>
      {all.length > maxShown ? <p class="small muted">{texts.run.moreJobs(all.length - maxShown)}</p> : null}
    </div>
  )
}
