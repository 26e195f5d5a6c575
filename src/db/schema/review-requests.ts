/**
 * A statement for triggers: copies columns of the issue into the review requests of a pull request, and sets whether
 * each request waits. A later verdict of the reviewer answers a request. The unary plus stops SQLite from using the
 * index on `reviewer_id`: a reviewer has more reviews than a pull request.
 */
export const settleRequests = (issueId: string): string => `
      update review set
        (repo_id, is_of_closed, pull_created_unix) =
          (select repo_id, is_closed, created_unix from issue where id = review.issue_id),
        is_waiting = type = 'request' and (reviewer_id is null or (
          reviewer_id <> (select poster_id from issue where id = review.issue_id)
          and not exists (select 1 from review as verdict where verdict.issue_id = review.issue_id
            and +verdict.reviewer_id = review.reviewer_id and verdict.type in ('approve', 'reject')
            and verdict.id > review.id)))
      where issue_id = ${issueId} and type = 'request';`
