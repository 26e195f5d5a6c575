import type { ComponentChildren } from 'preact'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { JobState } from '../../actions/runs/run.store.ts'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { durationText } from '../ui/time.tsx'
import { jobPath, type RepoNames } from './actions-paths.ts'
import { graphOf, matrixNames, type GraphNode } from './run-graph.rules.ts'
import { lookOf, needsOf, secondsOf, StatusIcon } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'

const texts = actionsTexts.run

/** A graph of more jobs is too large to read; the list shows all. */
const maxShown = 100

/** Sizes in pixels. Those of jobs are the sizes in `actions.css`. */
const height = 36
const innerHeight = 30
const titleHeight = 30
const inset = 6
const gapX = 56
const gapY = 10

interface Placed extends GraphNode {
  /** The name above the jobs of a matrix; empty for a single job. */
  readonly title: string
  readonly names: readonly string[]
  /** Distance of the top from that of the column. */
  readonly y: number
  readonly needs: readonly string[]
}

interface Line {
  readonly from: Placed
  readonly to: Placed
}

/** Arranges the jobs in columns, in their order. */
function columnsOf(jobs: readonly JobState[]) {
  const { nodes, edges, columns } = graphOf(jobs.map((job) => ({ key: job.job_key, needs: needsOf(job) })))
  const filled = Array.from({ length: columns }, () => 0)
  const places = nodes.map((node): Placed => {
    const { common, own } = matrixNames(node.jobs.map((index) => (jobs[index] as JobState).name))
    const rows = node.jobs.length
    const y = filled[node.column] ?? 0
    filled[node.column] = y + (rows > 1 ? titleHeight + rows * innerHeight + inset : height) + gapY
    const needs = needsOf(jobs[node.jobs[0] ?? 0] as JobState)
    return { ...node, title: rows > 1 ? common || node.key : '', names: own, y, needs }
  })
  return {
    columns: filled.map((_, column) => places.filter((place) => place.column === column)),
    lines: edges.map(([from, to]): Line => ({ from: places[from] as Placed, to: places[to] as Placed })),
  }
}

type RunNames = RepoNames & { readonly run: ActionRunRow }

/**
 * The jobs of a run in stages: each job after those that it needs, and the jobs of a matrix in one frame. The stages are
 * columns joined by lines; on a narrow window they are a list, and each job names those that it needs.
 */
export function RunGraph({ jobs: every, ...names }: RunNames & { readonly jobs: readonly JobState[] }) {
  const jobs = every.slice(0, maxShown)
  const { columns, lines } = columnsOf(jobs)
  const nameOf = nameOfKey(jobs)
  return (
    <div class="run-graph" id="run-graph" tabIndex={0} role="region" aria-label={texts.graph}>
      <ol>
        {columns.map((places, column) => (
          <li class="stage">
            {columns.length === 1 ? null : (
              <h2 class="stage-name">
                {texts.stage(column + 1)}
                <span>{texts.jobCount(places.reduce((sum, place) => sum + place.jobs.length, 0))}</span>
              </h2>
            )}
            {column === 0 ? null : <Arrivals lines={lines} column={column} />}
            <Passing lines={lines} column={column} />
            <ul>
              {places.map((place) => (
                <Node {...names} jobs={jobs} place={place} needs={place.needs.map(nameOf)} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {every.length > maxShown ? <p class="small muted">{texts.moreJobs(every.length - maxShown)}</p> : null}
    </div>
  )
}

/** Returns what names a key: the name of its job, or the common name of the jobs of a matrix. */
function nameOfKey(jobs: readonly JobState[]): (key: string) => string {
  const byKey = Map.groupBy(jobs, (job) => job.job_key)
  return (key) => {
    const names = (byKey.get(key) ?? []).map((job) => job.name)
    return (names.length === 1 ? names[0] : matrixNames(names).common) || key
  }
}

/** The lines that arrive at a column, in the gap before it. Those of later columns go through. */
const Arrivals = ({ lines, column }: { readonly lines: readonly Line[]; readonly column: number }) => (
  <svg class="graph-lines before" aria-hidden="true">
    {lines
      .filter(({ from, to }) => from.column < column && to.column >= column)
      .map(({ from, to }) => {
        const [y1, y2] = [from.y + height / 2, (to.column === column ? to : from).y + height / 2]
        const middle = gapX / 2
        return <path class="graph-edge" d={`M0 ${y1} C${middle} ${y1} ${middle} ${y2} ${gapX} ${y2}`} />
      })}
  </svg>
)

/** The lines that go behind a column. */
function Passing({ lines, column }: { readonly lines: readonly Line[]; readonly column: number }) {
  const passing = lines.filter(({ from, to }) => from.column < column && to.column > column)
  const heights = [...new Set(passing.map(({ from }) => from.y + height / 2))]
  return heights.length === 0 ? null : (
    <svg class="graph-lines" aria-hidden="true">
      {heights.map((y) => (
        <line class="graph-edge" x1="0" x2="100%" y1={y} y2={y} />
      ))}
    </svg>
  )
}

interface NodeProps extends RunNames {
  readonly jobs: readonly JobState[]
  readonly place: Placed
  readonly needs: readonly string[]
}

/** A job, or the jobs of a matrix. */
function Node({ jobs, place, needs, ...names }: NodeProps) {
  const after = needs.length === 0 ? null : <span class="graph-needs">{texts.needs(needs.join(', '))}</span>
  if (place.title === '') {
    return (
      <li class="graph-node">
        <Job {...names} job={jobs[place.jobs[0] ?? 0] as JobState} name={place.names[0] ?? ''}>
          {after}
        </Job>
      </li>
    )
  }
  return (
    <li class="graph-node is-group">
      <p class="graph-title">
        <strong class="cut" title={place.title}>
          {place.title}
        </strong>
        <span class="graph-time">{texts.jobCount(place.jobs.length)}</span>
        {after}
      </p>
      <ul>
        {place.jobs.map((index, row) => (
          <li>
            <Job {...names} job={jobs[index] as JobState} name={place.names[row] ?? ''} />
          </li>
        ))}
      </ul>
    </li>
  )
}

function Job({
  run,
  job,
  name,
  children,
  ...names
}: RunNames & { readonly job: JobState; readonly name: string; readonly children?: ComponentChildren }) {
  const seconds = secondsOf(job, usePage().nowUnix)
  return (
    <Link to={jobPath(names, run, job)} class="graph-job" title={`${job.name}: ${actionsTexts.status(job.status)}`}>
      <StatusIcon status={job.status} />
      <span class="graph-name cut">{name}</span>
      {seconds === undefined ? (
        <span class={`graph-time is-state ${lookOf(job.status).tone}`}>{actionsTexts.status(job.status)}</span>
      ) : (
        <span class="graph-time">{durationText(seconds)}</span>
      )}
      {children}
    </Link>
  )
}
