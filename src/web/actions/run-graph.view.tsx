import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { JobState } from '../../actions/runs/run.store.ts'
import { Icon } from '../ui/icon.tsx'
import { usePage } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { durationText } from '../ui/time.tsx'
import { jobPath, type RepoNames } from './actions-paths.ts'
import { graphOf, matrixNames, type GraphNode } from './run-graph.rules.ts'
import { lookOf, needsOf, secondsOf } from './status.tsx'
import { texts } from './texts.tsx'

/** A graph of more jobs is too large to read; the list shows all. */
const maxShown = 100

/** Sizes in pixels. */
const height = 36
const innerHeight = 30
const titleHeight = 30
const inset = 6
const gapX = 56
const gapY = 10
const margin = 1
const minWidth = 180
/** A character of a name, and all that stands beside a name. */
const letterWidth = 7.2
const sideWidth = 96
const maxNameLength = 30

interface Placed extends GraphNode {
  /** The name above the jobs of a matrix; empty for a single job. */
  readonly title: string
  readonly names: readonly string[]
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const shortened = (name: string): string => {
  const letters = Array.from(name)
  return letters.length > maxNameLength ? `${letters.slice(0, maxNameLength - 1).join('')}…` : name
}

/** Gives the nodes of each column the width of the longest name. */
function placed(jobs: readonly JobState[]) {
  const { nodes, edges, columns } = graphOf(jobs.map((job) => ({ key: job.job_key, needs: needsOf(job) })))
  const named = nodes.map((node) => {
    const { common, own } = matrixNames(node.jobs.map((index) => (jobs[index] as JobState).name))
    const rows = node.jobs.length
    const isGroup = rows > 1
    return {
      ...node,
      title: isGroup ? shortened(common || node.key) : '',
      names: own.map(shortened),
      height: isGroup ? titleHeight + rows * innerHeight + inset : height,
    }
  })
  const widths = Array.from({ length: columns }, (_, column) => {
    const longest = Math.max(
      ...named.filter((node) => node.column === column).flatMap(({ names }) => names.map((name) => name.length)),
    )
    return Math.max(minWidth, Math.ceil(longest * letterWidth) + sideWidth)
  })
  const lefts = widths.map((_, column) => margin + widths.slice(0, column).reduce((sum, each) => sum + each + gapX, 0))
  const filled = widths.map(() => margin)
  const places = named.map((node): Placed => {
    const y = filled[node.column] ?? margin
    filled[node.column] = y + node.height + gapY
    return { ...node, x: lefts[node.column] ?? margin, y, width: widths[node.column] ?? minWidth }
  })
  return {
    places,
    edges,
    width: (lefts.at(-1) ?? 0) + (widths.at(-1) ?? 0) + margin,
    height: Math.max(0, ...filled) - gapY + margin,
  }
}

/** The jobs of a run as a drawing: each job after those that it needs, and the jobs of a matrix in one frame. */
export function RunGraph({
  run,
  jobs: all,
  ...names
}: RepoNames & { readonly run: ActionRunRow; readonly jobs: readonly JobState[] }) {
  const jobs = all.slice(0, maxShown)
  const graph = placed(jobs)
  return (
    <div class="run-graph" id="run-graph" tabIndex={0} aria-label={texts.run.graph}>
      <svg
        width={graph.width}
        height={graph.height}
        viewBox={`0 0 ${graph.width} ${graph.height}`}
        aria-label={texts.run.graph}
      >
        {graph.edges.map(([from, to]) => (
          <Edge from={graph.places[from] as Placed} to={graph.places[to] as Placed} />
        ))}
        {graph.places.map((node) => (
          <>
            {node.title === '' ? null : (
              <>
                <rect class="graph-group" x={node.x} y={node.y} width={node.width} height={node.height} rx={6} />
                <text class="graph-title" x={node.x + 11} y={node.y + 20}>
                  {node.title}
                </text>
                <text class="graph-time" x={node.x + node.width - 11} y={node.y + 20}>
                  {texts.run.jobCount(node.jobs.length)}
                </text>
              </>
            )}
            {node.jobs.map((index, row) => (
              <Job
                {...names}
                run={run}
                job={jobs[index] as JobState}
                name={node.names[row] ?? ''}
                node={node}
                row={row}
              />
            ))}
          </>
        ))}
      </svg>
      {all.length > maxShown ? <p class="small muted">{texts.run.moreJobs(all.length - maxShown)}</p> : null}
    </div>
  )
}

const Edge = ({ from, to }: { readonly from: Placed; readonly to: Placed }) => {
  const [x1, x2] = [from.x + from.width, to.x]
  const [y1, y2] = [from.y + height / 2, to.y + height / 2]
  const middle = x2 - gapX / 2
  return <path class="graph-edge" d={`M${x1} ${y1} H${x2 - gapX} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />
}

function Job({
  run,
  job,
  name,
  node,
  row,
  ...names
}: RepoNames & {
  readonly run: ActionRunRow
  readonly job: JobState
  readonly name: string
  readonly node: Placed
  readonly row: number
}) {
  const { config, nowUnix } = usePage()
  const seconds = secondsOf(job, nowUnix)
  const isInner = node.title !== ''
  const [x, width] = isInner ? [node.x + inset, node.width - 2 * inset] : [node.x, node.width]
  const y = isInner ? node.y + titleHeight + row * innerHeight : node.y
  const middle = y + (isInner ? innerHeight : height) / 2
  return (
    <a
      href={siteHref(config, jobPath(names, run, job))}
      class={`graph-job ${lookOf(job.status).tone}${isInner ? ' is-inner' : ''}${job.status === 'running' ? ' is-running' : ''}`}
    >
      <title>{`${job.name}: ${texts.status(job.status)}`}</title>
      <rect x={x} y={y} width={width} height={isInner ? innerHeight : height} rx={6} />
      <g class="graph-icon" transform={`translate(${x + 11} ${middle - 8})`}>
        <Icon name={lookOf(job.status).icon} />
      </g>
      <text class="graph-name" x={x + 35} y={middle + 5}>
        {name}
      </text>
      {seconds === undefined ? null : (
        <text class="graph-time" x={x + width - 11} y={middle + 5}>
          {durationText(seconds)}
        </text>
      )}
    </a>
  )
}
