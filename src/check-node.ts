// First import of `ingot-forge/testing`: reports an unsupported Node before anything else loads.
import { nodeProblem } from './lib/node-version.ts'

const problem = nodeProblem(process.versions.node)
if (problem !== undefined) throw new Error(`ingot-forge: ${problem}`)
