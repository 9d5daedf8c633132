package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// conformance is a case of what every database must do alike. covers names the
// exported functions, methods and tables that it uses and checks.
type conformance struct {
	name   string
	covers string
	run    func(*testing.T, *storetest.Database)
}

var suite = slices.Concat(roundTrips, []conformance{
	{"open and close", "Open DB.Close DB.Engine DB.Ping DB.Statements DB.Connections DB.Waits DB.Pooled DefaultConnections", testOpenAndClose},
	{"transactions", "Store.Write DB.Write DB.Queries", testTransactions},
	{"rehearsals", "DB.Rehearse Rehearsing WithoutRehearsal", testRehearsals},
	{"statements that are put off", "Table.InsertLater Table.UpdateLater AskPosition InsertEventLater LockSubscriptions", testLater},
	{"live subscriptions", "EachLive LiveShapes LargestTenants", testLive},
	{"what accounts were billed", "BilledTo", testBilledTo},
	{"backup", "DB.Backup Restore", testBackup},
	{"maintain", "Store.Maintain", testMaintain},
	{"pages", "Table.List Table.Count", testPages},
	{"pages of words", "Table.List", testWordPages},
	{"sorted pages", "Table.ListSorted Table.IsSorted Table.List", testSorted},
	{"words in a transaction", "Table.Count", testWordsInTransaction},
	{"by id alone", "Table.List", testByID},
	{"nested lists", "Table.ByIDs ChildrenOf", testNested},
	{"constraints", "IsDuplicate IsReference", testConstraints},
	{"a full disk", "IsFull", testFull},
	{"accounts", "Table.ByCode AccountsWithBillingContact", testAccounts},
	{"contacts", "Table.ByCode ChildrenOf DeleteContactsOf", testContacts},
	{"platforms", "Table.ByCode", testPlatforms},
	{"products", "Table.ByCode ChildrenOf ProductsOnPlatform", testProducts},
	{"features", "FeatureByCode Table.ByCode FeaturesOf FeaturesInProduct LastFeaturePosition", testFeatures},
	{"plans", "PlanByCode Table.ByCode PlansOf PlansInProduct", testPlans},
	{"plan features", "PlanFeaturesOf PlanFeaturesWith DeletePlanFeaturesOf DeletePlanFeaturesWith", testPlanFeatures},
	{"price lists", "Table.ByCode PriceListsOf PriceListsOnPlan", testPriceLists},
	{"charges", "ChargeByCode Table.ByCode ChargesOf NumbersSold HoldCharges ChargesFor DeleteChargesOf", testCharges},
	{"entities", "AllEntities Table.ByCode", testEntities},
	{"accounts without a country", "AccountsWithoutCountry", testAccountsWithoutCountry},
	{"subscriptions without a rate", "SubscriptionsWithoutRate", testSubscriptionsWithoutRate},
	{"tax rates", "AllTaxRates", testTaxRates},
	{"dunning", "DunningOf ToDun NextToDun ToDunOnClock SaveDunning DunAgain DunOn InsertDunningSteps DunningSteps SubscriptionsOfInvoices SuspendedBy EffectsOn", testDunning},
	{"dunning policies", "AllDunningPolicies UsersOfDunningPolicy Table.ByCode", testDunningPolicies},
	{"issued invoices", "Table.InsertAll WithItems ItemsOf InvoiceByNumber InvoiceByUUID", testInvoices},
	{"invoices of other systems", "InvoicesByNumber ImportedInvoices ImportedNumber AppliedTo", testImportedInvoices},
	{"accounts that were invoiced", "IsInvoiced HasDocuments", testInvoiced},
	{"what becomes of invoices", "OpenInvoices SaveOutcomes SaveCredited", testOutcomes},
	{"overdue invoices", "OverdueInvoices OverdueByAge", testOverdue},
	{"drafts", "DraftsOf DueDrafts DueDraftsOnClock NextDraftOnClock DeleteItems", testDrafts},
	{"drafts to compute anew", "AccountsWithDrafts RenewDrafts", testRenewDrafts},
	{"items of keys", "ItemsOfKeys", testItemsOfKeys},
	{"credit notes", "CreditItemsOf CreditNotesOn CreditNoteByNumber CreditNoteByUUID", testCreditNotes},
	{"what is used of credit notes", "WaitingCreditNotes SaveUsedCreditNotes", testUsedCreditNotes},
	{"e-mail", "Emails InsertEmails ClaimEmails SaveEmail RequeueEmail NextEmail ForgetEmails", testEmails},
	{"e-mail of invoices", "EmailsOfInvoices", testEmailsOfInvoices},
	{"e-mail templates", "AllEmailTemplates", testEmailTemplates},
	{"mode of e-mail", "EmailMode", testEmailMode},
	{"payment methods that expire", "MethodsThatExpire", testMethodsThatExpire},
	{"payment methods", "PaymentMethodsOf PaymentMethodsByToken SetPaymentMethod RefusedMethods SetRefused", testPaymentMethods},
	{"refunds", "RefundsOf RefundByUUID ClaimRefunds NextRefund", testRefunds},
	{"collections", "ClaimCollections NextCollection CollectionsOnClock CollectionByUUID CollectionsOfInvoices PartsOfCollections LastCollections InsertParts SaveCollections AttemptsOf AttemptByReference AttemptsOfPayments SaveAttempts SeeNotice ForgetNotices", testCollections},
	{"collections that wait for a person", "CollectionsForPerson CountCollectionsForPerson CountUnanswered", testCollectionsForPerson},
	{"payments", "WaitingPayments SaveUsedPayments ApplicationsOfPayment DeleteApplications", testPayments},
	{"pending items", "PendingItemsOf DeletePendingItems", testPendingItems},
	{"balances", "Balances", testBalances},
	{"the ledger", "LedgerKeys LedgerOf SaveLedger LedgerKey.Ref", testLedger},
	{"series of numbers", "LockSeries LockNumbers SaveSeries AllSeries HasDocuments", testSeries},
	{"documents in series", "InvoicesInSeries CreditNotesInSeries", testDocumentsInSeries},
	{"what waits of accounts", "WaitingOf LockToBill", testWaiting},
	{"how far billing has come", "BillingOf SaveBilling", testAccountBilling},
	{"billing events", "AppendEvents", testBillingEvents},
	{"files of documents", "FindDocumentFile InsertDocumentFile FilesOfInvoices FilesOfCreditNotes", testDocumentFiles},
	{"accounts to bill", "AccountsToBill AccountsToBillOnClock NextToBill NextToBillOnClock ClocksToBill", testToBill},
	{"locks of accounts", "LockAccounts LockFreeAccounts", testLockAccounts},
	{"subscriptions to bill", "LockSubscriptionsToBill SaveBilled", testSubscriptionsToBill},
	{"billing again", "BillAgain MarkToBill", testBillAgain},
	{"problems of billing", "SetBillingProblem NoteBillingProblem AccountsWithBillingProblem", testBillingProblems},
	{"items of a subscription", "ItemsOfSubscription ItemsAfter", testItemsOfSubscription},
	{"subscriptions that were billed", "BilledSubscriptions LedgersOf", testBilledSubscriptions},
	{"what is left of items", "ItemsLeft", testItemsLeft},
	{"entities of accounts", "EntitiesOf", testEntitiesOf},
	{"what waits is collected", "CollectWaiting", testCollectWaiting},
	{"documents are deleted with their account", "DocumentsOfAccount DeleteDocumentsOf DeleteSeriesOnClock", testDeleteDocuments},
	{"filters of documents", "Invoices CreditNotes Payments Table.List Table.Count", testDocumentFilters},
	{"clients", "InsertClient UpdateClient ClientByClientID ClientsSince CountClients MarkClientsUsed ForgetDeletedClients", testClients},
	{"signing keys", "SigningKeys LockSigningKeys InsertSigningKey RetireSigningKey DeleteRetiredKeys", testSigningKeys},
	{"settings", "Setting InitSetting SetSetting TimeZone", testSettings},
	{"idempotency keys", "InsertIdempotencyKey LockIdempotencyKey SetIdempotencyClaim DeleteIdempotencyKey", testIdempotencyKeys},
	{"idempotency steps", "IdempotencyStep HasIdempotencySteps InsertIdempotencyStep DeleteIdempotencyKeysBefore", testIdempotencySteps},
	{"subscriptions", "SubscriptionsOfAccounts ChildrenOf SubscriptionsOfAccount SubscriptionsOfTenant SubscriptionsOnPriceList SoldOnPriceList SubscriptionsPlannedFor SubscriptionsForProduct AccountOfSubscription", testSubscriptions},
	{"trials", "FirstTrial", testTrials},
	{"words of subscriptions", "Subscriptions Tenants Accounts Table.List Table.UpdateSameWords", testSubscriptionWords},
	{"locks of subscriptions", "LockSubscription LockSubscriptionIfFree LockSubscriptionsOfTenant LockSubscriptionsOnClock", testSubscriptionLocks},
	{"damaged subscriptions", "Readable LockSubscription LockSubscriptionIfFree", testDamagedSubscriptions},
	{"history", "InsertHistory HistoryOf DeleteSubscriptionsOf", testHistory},
	{"due subscriptions", "DueSubscriptions CountDue DueOnClock NextDue NextDueOnClock", testDue},
	{"subscriptions set aside", "SetSubscriptionProblem MendDue", testSetAside},
	{"test clocks", "AccountsOnClocks TestClockNow LockAccountsOnClock", testClocks},
	{"tenants", "TenantByCode TenantsByBareCode TenantCodes ChildrenOf TenantsOnPlatform TenantsOfAccount", testTenants},
	{"live tenants", "LiveTenants TenantsToTell AmongToTell CountLiveTenants CountTenantsToTell", testLiveTenants},
	{"reach", "ReachOfPlans ReachOfProduct", testReach},
	{"sequences", "NextPosition LockStream", testSequences},
	{"events", "InsertEvent EventsOfTenant LatestEvents DeleteEventsOf DeleteEventsOfAccount DeleteTenantsOf", testEvents},
	{"workflows", "WorkflowsOf", testWorkflows},
	{"endpoints", "LockRoute LockRouteAndStreams RoutesOf Table.Projection SaveEndpoint Route.State Route.NeededSecrets", testEndpoints},
	{"due platforms", "DuePlatforms ReadBacklog", testDuePlatforms},
	{"due streams", "DueStreams LockStreams", testDueStreams},
	{"streams", "StreamsOf Streams SaveStreams", testStreams},
	{"names of subscriptions", "NamesOf", testSubscriptionNames},
	{"streams that are held", "HoldStreams", testHoldStreams},
	{"business events", "RecordBusiness HasEventEndpoints Recipients DeleteEventsTo DeleteEventsOfAccount Neighbours", testBusinessEvents},
	{"business events at once", "RecordBusiness", testBusinessAtOnce},
	{"business events in the log", "ListEvents CountEvents Types", testBusinessLog},
	{"leases of the dead", "EndLeases DB.Alone", testDeadHolders},
	{"waits that no rule gives", "EndImpossibleWaits", testImpossibleWaits},
	{"attendance", "DB.Attend DB.Alive LeaseHolders", testAttendance},
	{"the clock", "DB.Clock DB.Now", testClock},
	{"passes of the lifecycle", "LastPass RecordPass Resume Resumed", testPasses},
	{"deliveries", "QueuedAt LastQueuedBefore AppendDelivery SetDeliveryBody MadeBody EndDeliveries Supersede DeliveriesOf", testDeliveries},
	{"attempts", "ReserveAttempts InsertAttempts AttemptsOf WasSent", testAttempts},
	{"test events", "InsertTest DeleteTestsOf", testTestEvents},
	{"news of what is queued", "SetSender Announce Listen DB.Notify DB.Listen DB.OnBegin", testQueued},
	{"taken when they are recorded", "NextPosition InsertEvent SetSender", testTaken},
	{"versions of routes", "LockRoute SaveEndpoint", testRouteVersions},
	{"jobs", "HasWaitingJob ClaimJob LockJob OpenJobs", testJobs},
	{"old jobs", "DeleteJobsBefore", testOldJobs},
	{"catalog", "LoadCatalog LoadOffer HoldProduct", testCatalog},
	{"what is sold by the number", "SoldByNumber", testSoldByNumber},
	{"the catalog remembered", "LoadOffer LoadOfferByCode LockCatalog Store.Committed", testCatalogRemembered},
	{"who sells, remembered", "LoadSellers LockCatalog", testSellers},
	{"the catalog while it changes", "LoadOffer LockCatalog", testCatalogChanging},
	{"provisioning", "LoadProvisioning", testProvisioning},
	{"users", "UserByEmail CountUsers CountAdmins LockUsers MarkSignedIn", testUsers},
	{"sessions", "InsertSession SessionByHash SessionsOf TouchSession DeleteSession DeleteSessionsOf DeleteSessionsBefore", testSessions},
	{"sign-in sources of users", "KnownSources RememberSource ForgetSourcesBefore ForgetSourcesOf", testSources},
	{"overview", "CountSubscriptions CountStanding SubscriptionsSetAside UnfinishedJobs RecentEvents RecentHistory", testOverview},
	{"the audit log", "ListAudit CountAudit", testAuditLog},
	{"customers in the audit log", "ListAudit CountAudit AuditCrowd", testAuditCustomers},
	{"kinds of audit entries", "ListAudit", testAuditKinds},
	{"snapshots", "DB.Snapshot", testSnapshot},
	{"outages", "IsOutage IsUnavailable IsInDoubt", testOutages},
	{"requeue", "Requeue", testRequeue},
	{"tenants out of sync", "CountBehind", testCountBehind},
	{"events given up", "CountGivenUp", testCountGivenUp},
	{"webhook log", "ListEvents ListEventsWithin CountEvents LoggedEvents DeliveryFields Meant MomentRange WrongTerm", testEventLog},
	{"sending again", "Resend.Count Resend.Next NewestEventID", testResends},
	{"what waits again", "WaitingResends LockEvents LiveProducts", testWaitingResends},
	{"drift of tenants", "DriftOf LockDrift SaveDrift Differing CountDiffering StillMissing ForgetDrift CountPersistentDrift CountPersistentOn Tenants", testDrift},
	{"tenants that wait to be repaired", "RepairsFor RepairsUntil CountUntold Repairable TenantBehind RepairsUnderWay", testDriftQueue},
	{"turns to repair", "TakeRepairTurn SaveRepairTurn PostponeRepairs NextRepairs DueRepairs NoteRepairs", testRepairTurns},
	{"full reports of drift", "LockDriftReport SaveDriftReport DriftReportsOf ReleaseDriftReports ForgetDriftReports RepairingReports NoteRepairsOf EndRepairsOf DriftPart SaveDriftPart ForgetDriftParts", testDriftReports},
	{"what applications were told", "ToldWith Arrivals", testTold},
	{"events that repaired", "KeepRepairs RepairOf CountRepairs ListEvents CountEvents RemoveEvents", testRepairEvents},
	{"missing tenants", "MarkMissing", testMissing},
	{"retention", "OldEvents RemoveEvents", testRetention},
	{"many rows at once", "Table.InsertAll InsertAccounts AllContactsOf", testInsertAll},
	{"billing contacts", "SetBillingContacts", testBillingContacts},
	{"by many codes", "AccountsByCode TenantsByCode SubscriptionsByCode", testByCodes},
	{"much history", "InsertHistories", testHistories},
	{"numbers that go on", "StartStreams", testStartStreams},
	{"a frozen database", "DB.Frozen", testFrozen},
	{"the share of requests", "ForRequest ForServer", testShare},
	{"days of events", "CountEventsFrom SaveEventDay EventDays DeleteEventDaysBefore", testEventDays},
	{"inspection", "DB.SchemaVersions DB.QuickCheck DB.WritesAhead DB.PostgresFacts DB.DatabaseTime LastWrite AllRoutes FailedJobs", testInspection},
	{"counts on platforms", "CountBehindOn CountGivenUpOn", testCountsOnPlatforms},
	{"events in the log", "EventBodies LastAttempts EventIDAt WithAllowance Spend Length", testEventDetails},
})

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, c := range suite {
		t.Run(c.name, func(t *testing.T) { storetest.Each(t, c.run) })
	}
}

// TestSuiteIsWhole fails when a package with SQL has something that no case covers.
func TestSuiteIsWhole(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range suite {
		for name := range strings.FieldsSeq(c.covers) {
			covered[name] = true
		}
	}
	exported := exportedNames(t)
	for _, name := range exported {
		if !covered[name] {
			t.Errorf("%s is in no case of the suite", name)
		}
	}
	for name := range covered {
		if !slices.Contains(exported, name) {
			t.Errorf("the suite covers %s, which does not exist", name)
		}
	}
}

// exportedNames returns the functions of the packages with SQL, their methods as
// Type.Name, the tables, and the methods of DB, which are those of a Store, too.
func exportedNames(t *testing.T) (names []string) {
	forTests := []string{"DB.Waiting", "DB.Prepared"}
	return slices.Concat(exportedIn(t, "."), exportedIn(t, "../delivery/outbox"), exportedIn(t, "../delivery/log"), slices.DeleteFunc(exportedIn(t, "db"), func(name string) bool {
		return !strings.HasPrefix(name, "DB.") || slices.Contains(forTests, name)
	}))
}

func exportedIn(t *testing.T, dir string) (names []string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				names = append(names, functionName(d))
			case *ast.GenDecl:
				names = append(names, tableNames(d)...)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		receiver, method, isMethod := strings.Cut(name, ".")
		return !ast.IsExported(receiver) || isMethod && !ast.IsExported(method)
	})
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return typeName(f.Recv.List[0].Type) + "." + f.Name.Name
}

// tableNames finds var X = newTable(…).
func tableNames(d *ast.GenDecl) (names []string) {
	for _, spec := range d.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || len(value.Values) != 1 {
			continue
		}
		if call, ok := value.Values[0].(*ast.CallExpr); ok && typeName(call.Fun) == "newTable" {
			names = append(names, value.Names[0].Name)
		}
	}
	return names
}

// typeName is the bare name of a receiver's type: T of T, *T and *T[A, B].
func typeName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
