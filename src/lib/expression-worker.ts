import { testExpressions, type ExpressionAnswer, type ExpressionJob } from './bounded-regexp.ts'
import { serveThread } from './thread-port.ts'

/** The thread that tries people's expressions on names. */
serveThread((job: ExpressionJob): Promise<ExpressionAnswer> => Promise.resolve(testExpressions(job)))
