package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var jobColumns = []string{"Job", "State", "Progress", "Failed", "Started", "Finished"}

func jobHref(id billing.JobID) string { return "/jobs/" + ui.IDText(id) }

func jobState(j *billing.Job) ui.Cell {
	tone := map[string]string{billing.JobDone: "good", billing.JobFailed: "bad", billing.JobRunning: "info", billing.JobWaiting: "warn"}[j.State]
	return ui.Badge(j.State, tone)
}

func jobCells(j *billing.Job) []ui.Cell {
	failed := ui.Muted("0")
	if j.Failed > 0 {
		failed = ui.Number(j.Failed)
	}
	return []ui.Cell{
		ui.Linked(j.Kind, jobHref(j.ID)).WithSub("job " + ui.IDText(j.ID)), jobState(j), progress(j), failed, ui.Moment(j.CreatedAt), ui.OptionalMoment(j.FinishedAt, "—"),
	}
}

// progress is how far a job is.
func progress(j *billing.Job) ui.Cell {
	done, all := j.Done+j.Failed, j.Total
	if j.FinishedAt != nil {
		all = done
	}
	return ui.Cell{Kind: ui.CellBar, Done: done, All: max(all, done, 1), Text: ui.Grouped(done) + " of " + ui.Grouped(max(all, done))}
}

func listJobs(c *call) error {
	data := ui.List{Title: "Jobs", Path: "/jobs", Hint: "state:running, state:failed", About: "Background work is listed here, such as notifying tenants of changed features and advancing test clocks."}
	open, err := store.UnfinishedJobs(c.ctx(), c.q(), 1)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		data.Poll = 2
	}
	return showList(c, data, store.Jobs, func(j *billing.Job) billing.JobID { return j.ID }, jobColumns,
		func(_ *call, rows []billing.Job) ([][]ui.Cell, error) { return ui.RowsOf(rows, jobCells), nil }, nil)
}

// jobData is what the page of a job shows.
type jobData struct {
	Name     string
	State    ui.Cell
	Progress ui.Cell
	Facts    []ui.Fact
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
		return missing("job", ui.Link{Text: "Jobs", Href: "/jobs"})
	}
	var d ui.Details
	d.Fact("Done", ui.Number(j.Done))
	d.Fact("Failed", ui.Number(j.Failed))
	d.Fact("Started", ui.Moment(j.CreatedAt))
	d.Fact("Last step", ui.Moment(j.UpdatedAt))
	d.Fact("Finished", ui.OptionalMoment(j.FinishedAt, "not yet"))
	return jobPage.show(c, "Job "+ui.IDText(j.ID), jobData{
		Name: ui.EnumText(j.Kind), State: jobState(j), Progress: progress(j), Facts: d.Facts, Params: ui.PrettyJSON(string(j.Params)), Error: ui.Deref(j.Error),
		Poll: j.FinishedAt == nil, Path: jobHref(j.ID),
	})
}
