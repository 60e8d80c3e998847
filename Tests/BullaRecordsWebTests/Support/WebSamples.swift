/// The input of several tests.
enum WebSamples {
    /// The sample request on Apple's page, without the three faults that it has there.
    static let modify = """
        { "operations" : [ { "operationType" : "create", "record" : { "recordType" : "myRecordType",
          "fields" : {
          "myDoubleField" : { "value" : 0.55, "type" : "DOUBLE", "isEncrypted" : true },
          "myIntListField" : { "value" : [ 123, 456, 789 ], "type" : "INT64_LIST",
          "isEncrypted" : true } }, "recordName" : "recordWithEncryptedFields" } } ],
          "zoneID" : { "zoneName" : "myZone" } }
        """

    /// The sample request as Apple's page prints it.
    static let modifyAsPrinted = """
        { "operations" : [ { "operationType" : "create", "record" : { \
        "recordType" : "myRecordType", \
        "fields" : {
          "myDoubleField" : { "value" : 0.55, "type" : "DOUBLE", "isEncrypted" : true },
          "myIntListField" : { "value" : [ 123, 456, 789 ], "type" : "INT64_LIST", \
        "isEncrypted" : true }
          "recordName" : "recordWithEncryptedFields", } } ], "zoneID" : { "zoneName" : "myZone" } }
        """

    /// A query with all its parts.
    static let query = """
        {"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"amount",
        "fieldValue":{"value":1,"type":"DOUBLE"}},{"comparator":"IN","fieldName":"a",
        "fieldValue":{"value":["x","y"]}}],"sortBy":[{"fieldName":"amount","ascending":false}]},
        "zoneID":{"zoneName":"myZone","ownerRecordName":"_defaultOwner"},"resultsLimit":5}
        """

    /// Values of every kind.
    static let values = """
        {"a":[1,-2.5e3,true,false,null,"\\u00e4\\ud83d\\ude00\\n",{},[]],"b":{"c":{"d":[[[0]]]}},
        "e":"\u{e4}\u{1F600}","f":9223372036854775807}
        """
}
