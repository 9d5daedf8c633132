package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

var jobColumns = []string{"Job", "State", "Progress", "Failed", "Started", "Finished"}

func jobHref(id billing.JobID) string { return "/jobs/" + idText(id) }

func jobState(j *billing.Job) cell {
	tone := map[string]string{billing.JobDone: "good", billing.JobFailed: "bad", billing.JobRunning: "info", billing.JobWaiting: "warn"}[j.State]
	return mark(j.State, tone)
}

func jobCells(j *billing.Job) []cell {
	failed := muted("0")
	if j.Failed > 0 {
		failed = amount(j.Failed)
	}
	return []cell{
		to(j.Kind, jobHref(j.ID)).sub("job " + idText(j.ID)), jobState(j), progress(j), failed, moment(j.CreatedAt), maybeMoment(j.FinishedAt, "—"),
	}
}

// progress is how far a job is.
func progress(j *billing.Job) cell {
	done, all := j.Done+j.Failed, j.Total
	if j.FinishedAt != nil {
		all = done
	}
	return cell{Kind: cellBar, Done: done, All: max(all, done, 1), Text: grouped(done) + " of " + grouped(max(all, done))}
}

func listJobs(c *call) error {
	data := listData{Title: "Jobs", Path: "/jobs", Hint: "state:running, state:failed", About: "Background work is listed here, such as notifying tenants of changed features and advancing test clocks."}
	open, err := store.UnfinishedJobs(c.ctx(), c.q(), 1)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		data.Poll = 2
	}
	return showList(c, data, store.Jobs, func(j *billing.Job) billing.JobID { return j.ID }, jobColumns,
		func(_ *call, rows []billing.Job) ([][]cell, error) {
			table := make([][]cell, len(rows))
			for i := range rows {
				table[i] = jobCells(&rows[i])
			}
			return table, nil
		}, nil)
}

// jobData is what the page of a job shows.
type jobData struct {
	Name     string
	State    cell
	Progress cell
	Facts    []fact
	Params   string
	Error    string
	Poll     bool
	Path     string
}

var jobPage = newPage[jobData]("job")

func showJob(c *call) error {
	id, err := c.pathID("id")
	if err != nil {
		return err
	}
	j, err := store.Jobs.Get(c.ctx(), c.q(), billing.JobID(id))
	if err != nil {
		return err
	}
	if j == nil {
		return missing("job", link{"Jobs", "/jobs"})
	}
	var d showData
	d.fact("Done", amount(j.Done))
	d.fact("Failed", amount(j.Failed))
	d.fact("Started", moment(j.CreatedAt))
	d.fact("Last step", moment(j.UpdatedAt))
	d.fact("Finished", maybeMoment(j.FinishedAt, "not yet"))
	return jobPage.show(c, "Job "+idText(j.ID), jobData{
		Name: enumWord(j.Kind), State: jobState(j), Progress: progress(j), Facts: d.Facts, Params: pretty(string(j.Params)), Error: deref(j.Error),
		Poll: j.FinishedAt == nil, Path: jobHref(j.ID),
	})
}
